import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem, queryIndex } from '../items/items.ts';
import { keys, listKey } from '../items/keys.ts';

const slotPrefix = 'slot_';
const slotsRecord = z.looseObject({ count: z.int() });

/** The ingests of a user that have a slot. */
export async function findSlots(userUlid: string): Promise<string[]> {
  const slots = await getItem(slotsRecord, keys.ingestSlots(userUlid));
  return Object.keys(slots ?? {}).flatMap((name) =>
    name.startsWith(slotPrefix) ? [name.slice(slotPrefix.length)] : [],
  );
}

/** Gives an ingest one of a user's `limit` slots. False when there is none, or when it has one. */
export const acquireIngestSlot = (userUlid: string, ulid: string, limit: number): Promise<boolean> =>
  tryWrite({
    update: keys.ingestSlots(userUlid),
    set: { [`${slotPrefix}${ulid}`]: timestamp() },
    add: { count: 1 },
    when: { absent: [`${slotPrefix}${ulid}`], below: { count: limit } },
  });

/** False when the ingest has no slot. */
export const freeIngestSlot = (userUlid: string, ulid: string): Promise<boolean> =>
  tryWrite({
    update: keys.ingestSlots(userUlid),
    remove: [`${slotPrefix}${ulid}`],
    add: { count: -1 },
    when: { atLeast: { [`${slotPrefix}${ulid}`]: '' } },
  });

/** Users who may have ingests to continue. */
export const listIngestingUsers = async (): Promise<string[]> =>
  (await queryIndex('byOwner', listKey('all', 'ingesting'))).map(({ ownerSort }) => String(ownerSort));

/** A user stays listed for this long after the last ingest was added, since the index of uploads lags behind. */
const stayMilliseconds = 60_000;

/** Takes a user without ingests from the list. */
export async function leaveIngesting(userUlid: string): Promise<void> {
  await tryWrite({
    update: keys.ingestSlots(userUlid),
    remove: ['ownerKey', 'ownerSort'],
    when: { equals: { count: 0 }, below: { addedAt: timestamp(now() - stayMilliseconds) } },
  });
}
