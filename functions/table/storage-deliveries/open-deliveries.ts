import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { queryIndex, queryItems, write } from '../items/items.ts';
import { keys, listKey } from '../items/keys.ts';

const openRecord = z.object({ ulid: z.string() });

/** Up to `limit` open deliveries of a user, the oldest first. */
export async function firstOpenDeliveries(userUlid: string, limit: number): Promise<string[]> {
  const { pk, sk } = keys.openStorageDelivery(userUlid, '');
  return (await queryItems(pk, sk, limit)).map((item) => openRecord.parse(item).ulid);
}

/** Takes a delivery from the open ones that has ended and left nothing behind, or does not exist. */
export const forgetOpenDelivery = (userUlid: string, ulid: string): Promise<unknown> =>
  write({ delete: keys.openStorageDelivery(userUlid, ulid) });

/** Users who may have deliveries to continue. */
export const listDeliveringUsers = async (): Promise<string[]> =>
  (await queryIndex('byOwner', listKey('all', 'delivering'))).map(({ ownerSort }) => String(ownerSort));

/** A call that found no open delivery may have been slower than one that has added another. */
const stayMilliseconds = 60_000;

/** Takes a user without open deliveries from the list. */
export async function leaveDelivering(userUlid: string): Promise<void> {
  await tryWrite({
    update: keys.delivering(userUlid),
    remove: ['ownerKey', 'ownerSort'],
    when: { below: { addedAt: timestamp(now() - stayMilliseconds) } },
  });
}
