import { CodeBox } from '../../components/code-box.tsx';
import { formatInstant, formatMilliseconds } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import type { Delivery } from './delivery-query.ts';

type AttemptsProps = { event: string; attempts: Delivery['attempts'] };

/** What the server of the webhook has answered, newest first. */
export function Attempts({ event, attempts }: AttemptsProps) {
  const messages = text.value.webhooks.deliveries;
  if (attempts.length === 0) return <p>{messages.noAttempts}</p>;
  return (
    <ol class="attempts" reversed aria-label={messages.attemptsOf(event)}>
      {attempts.toReversed().map(({ at, http_status, milliseconds, error, body }) => (
        <li key={at}>
          <p class="row">
            <strong>{http_status === null ? messages.noAnswer : messages.httpStatus(http_status)}</strong>
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
          {body !== null && body !== '' && <CodeBox label={messages.answer} code={body} />}
        </li>
      ))}
    </ol>
  );
}
