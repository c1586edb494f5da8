import { api } from '../../api/client.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { Webhook } from '../webhook-properties.ts';

type DeleteWebhookProps = { webhook: Webhook; onDeleted(): void; onClose(): void };

export function DeleteWebhook({ webhook: { ulid, name }, onDeleted, onClose }: DeleteWebhookProps) {
  const messages = text.value.webhooks;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/webhooks/{ulid}', params: { ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/webhooks/{ulid}', { params: { path: { ulid } } });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
