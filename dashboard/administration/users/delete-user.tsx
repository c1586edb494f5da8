import { api } from '../../api/client.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { User } from './user-form.ts';

type DeleteUserProps = { user: User; onClose(): void };

export function DeleteUser({ user: { id, name, email }, onClose }: DeleteUserProps) {
  const {
    common,
    administration: { users: messages },
  } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/users/{id}', { params: { path: { id: String(id) } } });
    announce(messages.deleted(name));
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{messages.deleteEffect(email)}</p>
      <p class="hint">{messages.deleteCondition}</p>
      <ApiCall method="DELETE" path="/api/users/{id}" params={{ id }} />
    </ConfirmDialog>
  );
}
