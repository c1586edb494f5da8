import './webhooks.css';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { LoadedList } from '../components/loaded-list.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { TimeAgo } from '../components/time-ago.tsx';
import { text } from '../messages/messages.ts';
import { WebhookDialog } from './dialogs/webhook-dialog.tsx';
import { type Webhook, webhookPollSeconds } from './webhook-properties.ts';
import { WebhookEvents, WebhookStateBadge } from './webhook-state.tsx';

export function WebhooksPage() {
  const messages = text.value.webhooks;
  const [isCreating, setIsCreating] = useState(false);
  const webhooks = useResource((signal) => api.GET('/api/webhooks', { signal }), {
    key: 'webhooks',
    pollSeconds: () => webhookPollSeconds,
  });
  return (
    <>
      <PageTitle title={messages.title}>
        <Button variant="primary" onClick={() => setIsCreating(true)}>
          {messages.create}
        </Button>
      </PageTitle>
      <p class="hint">{messages.hint}</p>
      <LoadedList resource={webhooks} empty={{ title: messages.empty, hint: messages.emptyHint }}>
        {({ data }) => (
          <ul class="webhook-list">
            {data.map((webhook) => (
              <WebhookRow key={webhook.ulid} webhook={webhook} />
            ))}
          </ul>
        )}
      </LoadedList>
      <ApiCall method="GET" path="/api/webhooks" />
      {isCreating && <WebhookDialog onSaved={webhooks.reload} onClose={() => setIsCreating(false)} />}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const messages = text.value.webhooks;
  const { ulid, name, url, updated_at, disabled_reason } = webhook;
  return (
    <li>
      <div class="webhook-head">
        <p class="row">
          <a class="webhook-name" href={`/webhooks/${ulid}`}>
            {name}
          </a>
          <WebhookStateBadge webhook={webhook} />
        </p>
        <p class="hint">
          {messages.updated}: <TimeAgo time={updated_at} />
        </p>
      </div>
      {/* The service writes its reasons in English. */}
      {disabled_reason !== null && (
        <p class="webhook-reason" lang="en">
          {disabled_reason}
        </p>
      )}
      <p class="webhook-url">{url}</p>
      <WebhookEvents webhook={webhook} />
    </li>
  );
}
