import { now } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { queryIndex } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { pickOne, readSpreadOrder, spreadOrder, usersShards } from '../items/queue-keys.ts';
import { queryShards } from './queue-shards.ts';

/**
 * Users are spread over partitions for this long after several workers have recorded at the same time what a user was
 * served. That is frequent only when so many jobs are leased that the records are too many for one partition.
 */
const spreadMilliseconds = 120_000;
/** Users that were written before the end are listed by then. */
const settledMilliseconds = 30_000;

const [firstShard = '', ...otherShards] = usersShards;

/** The mark as this instance has last read it. */
let mark: { order: string; untilMilliseconds: number; hasOthers: boolean } | undefined;

/** The orders of the first users in the queue. One read, unless users are spread. */
export async function listUserOrders(limit: number): Promise<string[]> {
  const first = (await queryIndex('queue', firstShard, { limit: limit + 1 })).map(({ queueOrder }) =>
    String(queueOrder),
  );
  const untilMilliseconds = readSpreadOrder(first[0]);
  if (untilMilliseconds === undefined) {
    mark = undefined;
    return first.slice(0, limit);
  }
  const others = (await queryShards(otherShards, limit)).map(({ queueOrder }) => String(queueOrder));
  mark = { order: first[0]!, untilMilliseconds, hasOthers: others.length > 0 };
  return [...first.slice(1), ...others].toSorted().slice(0, limit);
}

/** The partition of a user who joins. */
export const joiningShard = firstShard;

/** The partition for a user who was served. Others than the first one only while readers know of them. */
export const shardOfServed = (): string =>
  mark && mark.untilMilliseconds - settledMilliseconds / 2 > now() ? pickOne(usersShards) : firstShard;

/** Has users spread. Called when workers meet, which is at high rates only. */
export async function spreadUsers(): Promise<void> {
  if (mark && mark.untilMilliseconds > now() + spreadMilliseconds / 2) return;
  const queueOrder = spreadOrder(now() + spreadMilliseconds);
  await tryWrite({
    put: { ...keys.queueMark('SPREAD'), kind: 'queue-spread', queueShard: firstShard, queueOrder },
    when: mark ? { equals: { queueOrder: mark.order } } : { exists: false },
  });
}

/** Removes the mark when its time is over and the other partitions are empty. */
export async function endSpreading(): Promise<void> {
  if (!mark || mark.hasOthers || mark.untilMilliseconds + settledMilliseconds > now()) return;
  const { order } = mark;
  mark = undefined;
  await tryWrite({ delete: keys.queueMark('SPREAD'), when: { equals: { queueOrder: order } } });
}
