import { encodeTime } from 'ulid';
import * as z from 'zod';
import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../contracts/statuses.ts';
import { tryTransact } from '../items/conditional.ts';
import { getItem, transact, type Write } from '../items/items.ts';
import { dueOf, duePosition, keys } from '../items/keys.ts';
import { queryRangeLatest, rangePages } from '../items/ranges.ts';
import type { User } from '../records.ts';
import { webhookActivity } from '../writes/activity-writes.ts';
import { dueWrite } from '../writes/delivery-writes.ts';
import type { Webhook } from './webhook-table.ts';

const keptDays = 30;

const attemptRecord = z.object({
  at: z.string(),
  httpStatus: z.int().nullable(),
  milliseconds: z.int(),
  error: z.string().nullable(),
  /** the beginning of the response */
  body: z.string().nullable(),
});
export type Attempt = z.infer<typeof attemptRecord>;

const deliveryRecord = z.object({
  /** the ULID of the event */
  ulid: z.string(),
  webhookUlid: z.string(),
  type: z.string(),
  /** what is sent, the same text with each attempt */
  body: z.string(),
  status: z.enum(deliveryStatuses),
  /** the last ones */
  attempts: z.array(attemptRecord),
  /** attempts since it was created or sent again by its owner: they decide when the next one is made */
  tries: z.int(),
  /** its position among the deliveries that are to be sent; absent when it has ended */
  due: z.string().optional(),
  createdAt: z.string(),
});
export type Delivery = z.infer<typeof deliveryRecord>;

/** When a delivery is sent next, by its position among those that are to be sent. */
export const dueAt = (position: string): number => dueOf(keys.dueDelivery('', position)).atMilliseconds;

/** What is sent to a webhook: the ULID, type and body of an event. */
export type Sending = Pick<Delivery, 'ulid' | 'type' | 'body'>;

/** Stores what is to be sent to a webhook, once. False when it was stored before. */
export const addDelivery = (webhook: Webhook, sending: Sending): Promise<boolean> =>
  tryTransact(newDelivery(webhook, sending).writes);

/** Stores an event that tests a webhook. */
export async function addTestDelivery(webhook: Webhook, sending: Sending, by: User): Promise<Delivery> {
  const { delivery, writes } = newDelivery(webhook, sending);
  await transact([...writes, webhookActivity(by, webhook, 'tested', `Tested webhook ${webhook.name}`)]);
  return delivery;
}

function newDelivery({ ulid: webhookUlid }: Webhook, sending: Sending): { delivery: Delivery; writes: Write[] } {
  const due = duePosition(now(), sending.ulid);
  const delivery: Delivery = {
    ...sending,
    webhookUlid,
    status: 'pending',
    attempts: [],
    tries: 0,
    due,
    createdAt: timestamp(),
  };
  const expiresAt = nowSeconds() + keptDays * 24 * 3600;
  return {
    delivery,
    writes: [
      {
        put: { ...keys.delivery(webhookUlid, sending.ulid), kind: 'delivery', ...delivery, expiresAt },
        when: { exists: false },
      },
      dueWrite(webhookUlid, due),
    ],
  };
}

export const findDelivery = (webhookUlid: string, ulid: string): Promise<Delivery | undefined> =>
  getItem(deliveryRecord, keys.delivery(webhookUlid, ulid));

export type DeliveryFilter = {
  status: DeliveryStatus | undefined;
  type: string | undefined;
  fromMilliseconds: number | undefined;
  toMilliseconds: number | undefined;
};

/** How many records one page may read to find its deliveries. */
const maxExamined = 500;

/**
 * A page of a webhook's deliveries, newest first. It can have fewer than `limit`, also none, although more follow.
 * `next` is where the next page begins.
 */
export async function listDeliveries(
  webhookUlid: string,
  { status, type, fromMilliseconds = 0, toMilliseconds }: DeliveryFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ next: string | undefined; deliveries: Delivery[] }> {
  const { pk } = keys.delivery(webhookUlid, '');
  const newest = toMilliseconds === undefined ? 'Z' : `${encodeTime(toMilliseconds)}${'Z'.repeat(16)}`;
  const to = cursor !== undefined && cursor < newest ? cursor : newest;
  const from = encodeTime(fromMilliseconds);
  if (from > to) return { next: undefined, deliveries: [] };
  const isFiltered = status !== undefined || type !== undefined;
  const wanted = isFiltered ? maxExamined : limit;
  const items = await queryRangeLatest(pk, from, to, wanted + 1);
  const deliveries: Delivery[] = [];
  let examined = 0;
  while (examined < Math.min(wanted, items.length) && deliveries.length < limit) {
    const delivery = deliveryRecord.parse(items[examined]);
    if ((status ?? delivery.status) === delivery.status && (type ?? delivery.type) === delivery.type) {
      deliveries.push(delivery);
    }
    examined++;
  }
  return { next: items[examined]?.sk, deliveries };
}

/**
 * Up to `limit` deliveries from a position on, oldest first, whose last attempt failed. `next` is where the search
 * continues: it reads a bounded number of deliveries, since nearly all of a month may have been delivered.
 */
export async function listFailedDeliveries(
  webhookUlid: string,
  from: string,
  { limit = maxResent, examine = 2000 } = {},
): Promise<{ next: string | undefined; failed: Delivery[] }> {
  const { pk } = keys.delivery(webhookUlid, '');
  const failed: Delivery[] = [];
  let examined = 0;
  // In pages: a webhook can have more deliveries than fit into the memory of the function.
  for await (const page of rangePages(pk, from, 'Z')) {
    for (const item of page) {
      if (failed.length === limit || examined === examine) return { next: item.sk, failed };
      const delivery = deliveryRecord.parse(item);
      if (delivery.status === 'failed' || delivery.status === 'exhausted') failed.push(delivery);
      examined++;
    }
  }
  return { next: undefined, failed };
}

/** So many are sent again in some seconds; a request may take 29. */
const maxResent = 1000;

/** Where the deliveries since an instant begin. */
export const deliveriesSince = (milliseconds: number): string => encodeTime(milliseconds);

/**
 * Has a delivery sent again now, with all attempts of a new one. `by` is set when it is the only one that is sent
 * again. False when it has changed since it was read, for example because it is being sent.
 */
export const sendAgain = (webhook: Webhook, { ulid, type, due }: Delivery, by?: User): Promise<boolean> => {
  const next = duePosition(now(), ulid);
  if (due === next) return Promise.resolve(false);
  return tryTransact([
    {
      update: keys.delivery(webhook.ulid, ulid),
      set: { status: 'pending', tries: 0, due: next },
      when: due === undefined ? { exists: true, absent: ['due'] } : { equals: { due } },
    },
    ...(due === undefined ? [] : [{ delete: keys.dueDelivery(webhook.ulid, due) }]),
    dueWrite(webhook.ulid, next),
    ...(by ? [resendActivity(by, webhook, { event: type, delivery: ulid })] : []),
  ]);
};

/** Records in the activity of a user that all failed deliveries since an instant are sent again. */
export const recordResend = (webhook: Webhook, by: User, from: string): Promise<void> =>
  transact([resendActivity(by, webhook, { from })]);

const resendActivity = (by: User, webhook: Webhook, properties: Record<string, unknown>): Write =>
  webhookActivity(by, webhook, 'resent', `Sent failed events again to webhook ${webhook.name}`, properties);
