import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { text } from '../../messages/messages.ts';

type DeleteTemplateProps = {
  template: Pick<components['schemas']['Template'], 'ulid' | 'name' | 'shared'>;
  onDeleted(): void;
  onClose(): void;
};

/** A template that is in use is not deleted: the answer says by how many videos and uploads. */
export function DeleteTemplate({ template: { ulid, name, shared }, onDeleted, onClose }: DeleteTemplateProps) {
  const { templates: messages, common } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/templates/{id}', { params: { path: { id: ulid } } });
    announce(messages.deleted(name));
    onDeleted();
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="stack">
        <p>{shared ? messages.deleteSharedEffect : messages.deleteEffect}</p>
        <ApiCall method="DELETE" path="/api/templates/{id}" params={{ id: ulid }} />
      </div>
    </ConfirmDialog>
  );
}
