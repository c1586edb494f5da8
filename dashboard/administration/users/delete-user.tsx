import { api } from '../../api/client.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { User } from './user-form.ts';

type DeleteUserProps = { user: User; onClose(): void };

export function DeleteUser({ user: { id, name, email }, onClose }: DeleteUserProps) {
  const messages = text.value.administration.users;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/users/{id}', params: { id } }}
      onDelete={() => api.DELETE('/api/users/{id}', { params: { path: { id: String(id) } } })}
      onClose={onClose}
    >
      <p>{messages.deleteEffect(email)}</p>
      <p class="hint">{messages.deleteCondition}</p>
    </DeleteDialog>
  );
}
