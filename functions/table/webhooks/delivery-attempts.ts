import { now } from '../../../shared/clock.ts';
import type { DeliveryStatus } from '../../contracts/statuses.ts';
import { tryTransact } from '../items/conditional.ts';
import { queryIndex, writeBatch } from '../items/items.ts';
import { dueOf, duePosition, keys, listKey } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import { dueWrite } from '../writes/delivery-writes.ts';
import { leaseMilliseconds } from './send-slots.ts';
import { type Attempt, type Delivery, dueAt, findDelivery } from './webhook-deliveries.ts';

const keptAttempts = 20;

/** When the next delivery of a webhook is to be sent; undefined when none is. */
export async function nextDue(webhookUlid: string): Promise<number | undefined> {
  const [first] = await queryRange(keys.dueDelivery(webhookUlid, '').pk, '0', '9~', 1);
  return first && dueOf(first).atMilliseconds;
}

/** A delivery that this sender sends now. Another one sends it if this one dies. */
export type ClaimedDelivery = Delivery & { due: string };

/** How many deliveries a sender tries to claim: the other sender of the webhook claims the same ones. */
const candidates = 5;

/** Claims the delivery of a webhook that is due first. Undefined when none is due. */
export async function claimDue(webhookUlid: string): Promise<ClaimedDelivery | undefined> {
  const { pk } = keys.dueDelivery(webhookUlid, '');
  const items = await queryRange(pk, '0', duePosition(now(), '~'), candidates);
  for (const { sk: position } of items) {
    const { ulid } = dueOf({ pk, sk: position });
    const delivery = await findDelivery(webhookUlid, ulid);
    if (delivery?.due !== position) {
      // It has expired, or has another position.
      await writeBatch([{ delete: keys.dueDelivery(webhookUlid, position) }]);
      continue;
    }
    const due = duePosition(now() + leaseMilliseconds, ulid);
    const isClaimed = await tryTransact([
      { update: keys.delivery(webhookUlid, ulid), set: { due }, when: { equals: { due: position } } },
      { delete: keys.dueDelivery(webhookUlid, position) },
      dueWrite(webhookUlid, due),
    ]);
    if (isClaimed) return { ...delivery, due };
  }
  return undefined;
}

/** What follows from an attempt. */
export type Outcome = {
  status: DeliveryStatus;
  /** undefined when no attempt was made, because the webhook is not active any more */
  attempt: Attempt | undefined;
  /** when the next attempt is made, unless the delivery has ended */
  retryAtMilliseconds?: number | undefined;
};

/** Records an attempt. False when the delivery was given to another sender, whose attempt counts. */
export function recordOutcome(
  { webhookUlid, ulid, due, attempts, tries }: ClaimedDelivery,
  { status, attempt, retryAtMilliseconds }: Outcome,
): Promise<boolean> {
  // A transaction writes an item once: the next position must be another one.
  const isSame = retryAtMilliseconds === dueAt(due);
  const next = retryAtMilliseconds === undefined ? undefined : duePosition(retryAtMilliseconds + Number(isSame), ulid);
  return tryTransact([
    {
      update: keys.delivery(webhookUlid, ulid),
      set: {
        status,
        ...(attempt && { attempts: [...attempts, attempt].slice(-keptAttempts), tries: tries + 1 }),
        ...(next !== undefined && { due: next }),
      },
      ...(next === undefined && { remove: ['due'] }),
      when: { equals: { due } },
    },
    { delete: keys.dueDelivery(webhookUlid, due) },
    ...(next === undefined ? [] : [dueWrite(webhookUlid, next)]),
  ]);
}

/** How many due deliveries are looked at. They are keys only: 10,000 are about 1.5 MB. */
const maxDue = 100_000;

/** Webhooks that have deliveries to be sent now, from an eventually consistent index. */
export async function listDueWebhooks(): Promise<string[]> {
  const found = await queryIndex('byOwner', listKey('all', 'due'), { upTo: duePosition(now(), '~'), limit: maxDue });
  return [...new Set(found.map((item) => dueOf(item).webhookUlid))];
}
