import './webhooks.css';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError } from '../../client/api-error.ts';
import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { Deliveries } from './deliveries/deliveries.tsx';
import { DeleteWebhook } from './dialogs/delete-webhook.tsx';
import { RotateSecret } from './dialogs/rotate-secret.tsx';
import { WebhookDialog } from './dialogs/webhook-dialog.tsx';
import { type Webhook, webhookPollSeconds } from './webhook-properties.ts';
import { WebhookSummary } from './webhook-summary.tsx';

type WebhookPageProps = { params: { ulid: string } };

/** Another webhook is another page. */
export const WebhookPage = ({ params: { ulid } }: WebhookPageProps) => <LoadedWebhook key={ulid} ulid={ulid} />;

function LoadedWebhook({ ulid }: { ulid: string }) {
  const messages = text.value.webhooks;
  const params = { path: { ulid } };
  const { data, error, reload } = useResource((signal) => api.GET('/api/webhooks/{ulid}', { params, signal }), {
    key: ulid,
    pollSeconds: () => webhookPollSeconds,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  if (data !== undefined && !isGone) return <OneWebhook webhook={data.data} error={error} reload={reload} />;
  return (
    <>
      <PageTitle title={messages.one} />
      {isGone ? (
        <EmptyState title={messages.notFound}>
          <a href="/webhooks">{messages.toWebhooks}</a>
        </EmptyState>
      ) : error === undefined ? (
        <Loading />
      ) : (
        <ErrorNotice error={error} onRetry={reload} />
      )}
    </>
  );
}

type OneWebhookProps = { webhook: Webhook; error: unknown; reload(): void };

function OneWebhook({ webhook, error, reload }: OneWebhookProps) {
  const { webhooks: messages, common } = text.value;
  const { route } = useLocation();
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete'>();
  const [testCount, setTestCount] = useState(0);
  const path = { ulid: webhook.ulid };
  const test = useAction(async () => {
    await api.POST('/api/webhooks/{ulid}/test', { params: { path } });
    announce(messages.testStarted);
    setTestCount((count) => count + 1);
  });
  const close = (): void => setDialog(undefined);
  return (
    <>
      <PageTitle title={webhook.name}>
        <Button variant="primary" isBusy={test.isRunning} onClick={() => test.run()}>
          {messages.test}
        </Button>
        <Button onClick={() => setDialog('edit')}>{common.edit}</Button>
        <Button onClick={() => setDialog('rotate')}>{messages.rotate}</Button>
        <Button onClick={() => setDialog('delete')}>{common.delete}</Button>
      </PageTitle>
      <ErrorNotice error={error} onRetry={reload} />
      <ErrorNotice error={test.error} />
      <WebhookSummary webhook={webhook} onChanged={reload} />
      <ApiCall method="POST" path="/api/webhooks/{ulid}/test" params={path} />
      <Deliveries webhook={webhook.ulid} version={testCount} />
      <p>
        <a href="/webhooks">{messages.toWebhooks}</a>
      </p>
      {dialog === 'edit' && <WebhookDialog webhook={webhook} onSaved={reload} onClose={close} />}
      {dialog === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {dialog === 'delete' && <DeleteWebhook webhook={webhook} onDeleted={() => route('/webhooks')} onClose={close} />}
    </>
  );
}
