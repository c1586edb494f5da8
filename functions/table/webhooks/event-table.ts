import { encodeTime } from 'ulid';
import * as z from 'zod';
import { now } from '../../../shared/clock.ts';
import { eventTypes } from '../../contracts/event-types.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItems, queryIndex } from '../items/items.ts';
import { type Key, keys, listKey } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';

const ulid = z.string();
const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['upload', 'video', 'ingest', 'node']), ulid }),
  z.object({ kind: z.enum(['output', 'stream', 'captions', 'delivery']), videoUlid: ulid, ulid }),
]);

const eventRecord = z.object({
  ulid,
  type: z.enum(eventTypes),
  /** null: an event of the administrators */
  userUlid: z.string().nullable(),
  externalUserId: z.string().nullable(),
  subject,
  sequence: z.number(),
  lastRecord: z.record(z.string(), z.unknown()).optional(),
  createdAt: z.string(),
  /** what receivers get, from the time at which the event was dispatched */
  body: z.string().optional(),
});
export type Event = z.infer<typeof eventRecord>;
export type EventSubject = z.infer<typeof subject>;

/** Events as they are now, in the order of their keys. Those that have expired are left out. */
export const findEvents = async (eventKeys: Key[]): Promise<Event[]> =>
  (await getItems(eventKeys)).map((item) => eventRecord.parse(item));

/** Events that were not dispatched within `seconds`, oldest first, from an eventually consistent index. */
export async function listUndispatched(seconds: number, limit: number): Promise<Event[]> {
  const upTo = encodeTime(now() - seconds * 1000) + highest;
  return findEvents(await queryIndex('byOwner', listKey('all', 'event'), { upTo, limit }));
}

/** Stores what the receivers of an event got, and takes it from the list of those that are to be dispatched. */
export const markDispatched = ({ userUlid, ulid }: Event, body: string): Promise<boolean> =>
  tryWrite({
    update: keys.event(userUlid, ulid),
    set: { body },
    remove: ['ownerKey', 'ownerSort'],
    when: { exists: true, absent: ['body'] },
  });

/**
 * The ULID of an event is made before its transaction, which may wait for others: for this time after it, an older
 * event may still appear.
 */
const settlingMilliseconds = 2000;

/** Up to `limit` events of a user behind a ULID, oldest first. `withNodes` adds those of the administrators. */
export async function listEvents(
  userUlid: string,
  { after, limit, withNodes }: { after: string | undefined; limit: number; withNodes: boolean },
): Promise<Event[]> {
  const to = encodeTime(now() - settlingMilliseconds) + highest;
  const from = after === undefined ? '0' : `${after}${behind}`;
  if (from > to) return [];
  const owners = withNodes ? [userUlid, null] : [userUlid];
  const pages = await Promise.all(owners.map((owner) => queryRange(keys.event(owner, '').pk, from, to, limit)));
  const events = pages.flat().map((item) => eventRecord.parse(item));
  return events.toSorted((one, other) => (one.ulid < other.ulid ? -1 : 1)).slice(0, limit);
}

/** Behind the time of a ULID: later than all of its millisecond. */
const highest = 'Z'.repeat(16);
/** Behind a whole ULID: the first text after it. */
const behind = '0';
