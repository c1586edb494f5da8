import { api } from '../../api/client.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { Webhook } from '../webhook-facts.ts';

type DeleteWebhookProps = { webhook: Webhook; onDeleted(): void; onClose(): void };

export function DeleteWebhook({ webhook: { ulid, name }, onDeleted, onClose }: DeleteWebhookProps) {
  const { webhooks: messages, common } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/webhooks/{ulid}', { params: { path: { ulid } } });
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
        <p>{messages.deleteEffect}</p>
        <ApiCall method="DELETE" path="/api/webhooks/{ulid}" params={{ ulid }} />
      </div>
    </ConfirmDialog>
  );
}
