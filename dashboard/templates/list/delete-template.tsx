import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { text } from '../../messages/messages.ts';

type DeleteTemplateProps = {
  template: Pick<components['schemas']['Template'], 'ulid' | 'name' | 'shared'>;
  onDeleted(): void;
  onClose(): void;
};

/** A template that is in use is not deleted: the response says by how many videos and uploads. */
export function DeleteTemplate({ template: { ulid, name, shared }, onDeleted, onClose }: DeleteTemplateProps) {
  const messages = text.value.templates;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/templates/{id}', params: { id: ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/templates/{id}', { params: { path: { id: ulid } } });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{shared ? messages.deleteSharedEffect : messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
