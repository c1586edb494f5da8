import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBox } from '../../components/code-box.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatInstant, formatMilliseconds } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import type { Delivery } from './delivery-query.ts';

type DeliveryRowProps = { webhook: string; delivery: Delivery; onResent(): void };

/** A delivery that can be expanded to show its attempts. */
export function DeliveryRow({ webhook, delivery, onResent }: DeliveryRowProps) {
  const messages = text.value.webhooks.deliveries;
  const { ulid, event, status, attempts, created_at, next_attempt_at } = delivery;
  const path = { ulid: webhook, delivery: ulid };
  const resend = useAction(async () => {
    await api.POST('/api/webhooks/{ulid}/deliveries/{delivery}/resend', { params: { path } });
    announce(messages.resending(event));
    onResent();
  });
  return (
    <li>
      <details>
        <summary>
          <span class="delivery-event">{event}</span>
          <span class="badge" data-status={status === 'failed' ? 'retrying' : status}>
            {messages.states[status]}
          </span>
          <span class="hint">{messages.attempts(attempts.length)}</span>
          <TimeAgo class="hint" time={created_at} format={formatInstant} />
        </summary>
        <div class="delivery-details">
          <p class="hint">
            {messages.id}: <code>{ulid}</code>
          </p>
          {next_attempt_at !== null && <p>{messages.nextAttempt(formatInstant(next_attempt_at))}</p>}
          <Attempts event={event} attempts={attempts} />
          <ApiCall method="POST" path="/api/webhooks/{ulid}/deliveries/{delivery}/resend" params={path} />
        </div>
      </details>
      <Button
        isBusy={resend.isRunning}
        disabled={status === 'pending'}
        aria-label={messages.resendLabel(event, formatInstant(created_at))}
        onClick={() => resend.run()}
      >
        {messages.resend}
      </Button>
      <ErrorNotice error={resend.error} />
    </li>
  );
}

type AttemptsProps = { event: string; attempts: Delivery['attempts'] };

/** What the server of the webhook has answered, newest first. */
function Attempts({ event, attempts }: AttemptsProps) {
  const messages = text.value.webhooks.deliveries;
  if (attempts.length === 0) return <p>{messages.noAttempts}</p>;
  return (
    <ol class="delivery-attempts" reversed aria-label={messages.attemptsOf(event)}>
      {attempts.toReversed().map(({ at, http_status, milliseconds, error, body }) => (
        <li key={at}>
          <p class="row">
            <strong>{http_status === null ? messages.noResponse : messages.httpStatus(http_status)}</strong>
            <span>{formatMilliseconds(milliseconds)}</span>
            <time class="hint" dateTime={at}>
              {formatInstant(at)}
            </time>
          </p>
          {/* The service writes its errors in English. */}
          {error !== null && (
            <p class="attempt-error" lang="en">
              {error}
            </p>
          )}
          {body !== null && body !== '' && <CodeBox label={messages.response} code={body} />}
        </li>
      ))}
    </ol>
  );
}
