import type { Resolve } from '../../../shared/checked-lookup.ts';
import { now, timestamp } from '../../../shared/clock.ts';
import { userTargets } from '../../common/allowed-targets.ts';
import type { Attempt, Delivery } from '../../table/webhooks/webhook-deliveries.ts';
import type { Webhook } from '../../table/webhooks/webhook-table.ts';
import { signedHeaders, signingSecrets } from '../webhook-secret.ts';
import { postChecked, RequestFailed } from './checked-request.ts';

export const attemptTimeoutMilliseconds = 15_000;

/** How much of a response is stored. */
const shownBodyBytes = 1024;

/** Sends a delivery once. `retryAfter` is that of a 429 or 503 response. */
export async function makeAttempt(
  webhook: Webhook,
  { ulid: id, body }: Delivery,
  resolve?: Resolve,
): Promise<{ attempt: Attempt; retryAfter: string | undefined }> {
  const startedAt = now();
  const attempt = { at: timestamp(startedAt), httpStatus: null, error: null, body: null };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'video-service-webhooks',
    ...signedHeaders({ id, body, atMilliseconds: startedAt }, await signingSecrets(webhook)),
  };
  const sent = { headers, body, timeoutMilliseconds: attemptTimeoutMilliseconds };
  try {
    const response = await postChecked(new URL(webhook.url), sent, userTargets('webhook'), resolve);
    const { httpStatus, retryAfter } = response;
    return {
      attempt: {
        ...attempt,
        httpStatus,
        milliseconds: now() - startedAt,
        error: problemOf(httpStatus),
        body: response.body.subarray(0, shownBodyBytes).toString(),
      },
      retryAfter: httpStatus === 429 || httpStatus === 503 ? retryAfter : undefined,
    };
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    return { attempt: { ...attempt, milliseconds: now() - startedAt, error: error.message }, retryAfter: undefined };
  }
}

function problemOf(httpStatus: number): string | null {
  if (httpStatus >= 200 && httpStatus < 300) return null;
  const redirect = httpStatus >= 300 && httpStatus < 400 ? ' Redirects are not followed.' : '';
  return `The endpoint answered with status ${httpStatus}.${redirect}`;
}
