import * as z from 'zod';
import { forEachSettled } from '../common/concurrency.ts';
import { firstOpenDeliveries, leaveDelivering } from '../table/storage-deliveries/open-deliveries.ts';
import { findStorageDelivery } from '../table/storage-deliveries/storage-delivery-table.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { continueDelivery, type DeliveryState } from './continue-delivery.ts';

const input = z.union([z.object({ ulid: z.string() }), z.object({ userUlid: z.string() })]);

/**
 * Continues the storage deliveries of a user: called when one was created, when a job has ended, and every minute while
 * the user has any.
 */
export async function handler(raw: unknown): Promise<void> {
  const of = input.parse(raw);
  const userUlid = 'userUlid' in of ? of.userUlid : (await findStorageDelivery(of.ulid))?.ownerUlid;
  if (userUlid !== undefined) await continueDeliveriesOfUser(userUlid);
}

/** Deliveries of a user that run at a time. Each copies many files at a time; others wait. */
const maxRunning = 2;

/**
 * Continues the oldest open deliveries of a user, and begins the next ones as these end. Every step can be repeated,
 * also at the same time as another call.
 */
async function continueDeliveriesOfUser(userUlid: string): Promise<void> {
  let isQueued = false;
  for (;;) {
    const open = await firstOpenDeliveries(userUlid, maxRunning);
    const states: DeliveryState[] = [];
    await forEachSettled(open, async (ulid) => {
      states.push(await continueDelivery(userUlid, ulid));
    });
    isQueued ||= states.includes('queued');
    if (states.includes('ended')) continue;
    if (isQueued) await launchWorkers();
    if (open.length === 0) await leaveDelivering(userUlid);
    return;
  }
}
