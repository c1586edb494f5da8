import type { Resolve } from '../../../shared/checked-lookup.ts';
import { now } from '../../../shared/clock.ts';
import { log } from '../../common/log.ts';
import { testEventType } from '../../contracts/event-types.ts';
import { type ClaimedDelivery, recordOutcome } from '../../table/webhooks/delivery-attempts.ts';
import {
  disableWebhook,
  findAnyWebhook,
  markFailing,
  markWorking,
  type Webhook,
} from '../../table/webhooks/webhook-table.ts';
import { makeAttempt } from './attempt.ts';
import { isGivenUp, retryAt } from './retry-policy.ts';

/** Makes one attempt and records what follows from it. A test is also sent to a webhook that is not active. */
export async function sendDelivery(delivery: ClaimedDelivery, resolve?: Resolve): Promise<void> {
  const webhook = await findAnyWebhook(delivery.webhookUlid);
  if (!webhook || !(webhook.active || delivery.type === testEventType)) {
    await recordOutcome(delivery, { status: 'exhausted', attempt: undefined });
    return;
  }
  const { attempt, retryAfter } = await makeAttempt(webhook, delivery, resolve);
  if (attempt.error === null) {
    await recordOutcome(delivery, { status: 'delivered', attempt });
    if (webhook.failingSince !== null) await markWorking(webhook);
    return;
  }
  const disabled = await countFailure(webhook, attempt.httpStatus);
  // A test is for a person who looks at it: it is not repeated.
  const isLast = disabled || delivery.type === testEventType;
  const retryAtMilliseconds = isLast ? undefined : retryAt(delivery.tries + 1, now(), { retryAfter });
  const status = retryAtMilliseconds === undefined ? 'exhausted' : 'failed';
  await recordOutcome(delivery, { status, attempt, retryAtMilliseconds });
}

/** Records a failure of a webhook. True when it disables the webhook. */
async function countFailure(webhook: Webhook, httpStatus: number | null): Promise<boolean> {
  const reason =
    httpStatus === 410
      ? 'The endpoint answered with status 410 Gone.'
      : isGivenUp(webhook.failingSince, now())
        ? 'All attempts of five days have failed.'
        : undefined;
  if (reason === undefined) {
    if (webhook.failingSince === null) await markFailing(webhook);
    return false;
  }
  if (await disableWebhook(webhook, reason)) log.warn('webhook disabled', { webhook: webhook.ulid, reason });
  return true;
}
