import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatDateTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import type { Webhook } from './webhook-properties.ts';
import { WebhookEvents, WebhookStateBadge } from './webhook-state.tsx';

type WebhookSummaryProps = { webhook: Webhook; onChanged(): void };

export function WebhookSummary({ webhook, onChanged }: WebhookSummaryProps) {
  const { common, webhooks: messages } = text.value;
  return (
    <>
      {!webhook.active && <SwitchedOff webhook={webhook} onChanged={onChanged} />}
      <section class="card" aria-label={messages.one}>
        <dl class="properties">
          <dt>{common.status}</dt>
          <dd>
            <WebhookStateBadge webhook={webhook} />
          </dd>
          <dt>{messages.url}</dt>
          <dd class="webhook-url">{webhook.url}</dd>
          <dt>{messages.events}</dt>
          <dd>
            <WebhookEvents webhook={webhook} />
          </dd>
          <dt>{messages.externalUser}</dt>
          <dd>{webhook.external_user_id ?? messages.allExternalUsers}</dd>
          <dt>{common.created}</dt>
          <dd>{formatDateTime(webhook.created_at)}</dd>
          <dt>{messages.updated}</dt>
          <dd>{formatDateTime(webhook.updated_at)}</dd>
        </dl>
      </section>
    </>
  );
}

function SwitchedOff({ webhook: { ulid, disabled_at, disabled_reason }, onChanged }: WebhookSummaryProps) {
  const messages = text.value.webhooks;
  const switchOn = useAction(async () => {
    await api.PUT('/api/webhooks/{ulid}', { params: { path: { ulid } }, body: { active: true } });
    announce(messages.switchedOn);
    onChanged();
  });
  return (
    <>
      <div class={disabled_at === null ? 'notice' : 'notice notice-error'}>
        <div>
          <p>{disabled_at === null ? messages.inactive : messages.disabled(formatDateTime(disabled_at))}</p>
          {disabled_reason !== null && <p lang="en">{disabled_reason}</p>}
        </div>
        <Button isBusy={switchOn.isRunning} onClick={() => switchOn.run()}>
          {messages.switchOn}
        </Button>
      </div>
      <ErrorNotice error={switchOn.error} />
    </>
  );
}
