import { now, timestamp } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { tryWrite } from '../items/conditional.ts';
import { countIndex, getItem, queryIndex } from '../items/items.ts';
import { jobIdOf, keys } from '../items/keys.ts';
import {
  jobOrder,
  jobsShard,
  type QueuedJob,
  type QueuedUser,
  readJobOrder,
  readUserOrder,
  userOrder,
  usersShard,
} from '../items/queue-keys.ts';
import type { JobId } from '../job-id.ts';
import { type QueueUser, queueUserRecord } from '../records.ts';
import {
  hasNoUrgentJob,
  inTurn,
  isMarkedUrgent,
  joinVirtualTime,
  mustRecord,
  type ServedJob,
  served,
} from './virtual-time.ts';

/** The index keys of a queued job. */
export const queuePosition = (userUlid: string, job: QueuedJob): { queueShard: string; queueOrder: string } => ({
  queueShard: jobsShard(userUlid),
  queueOrder: jobOrder(job),
});

/** Many jobs are queued at once: the time is recorded again only after this. */
const recordMilliseconds = 5_000;
/** A user stays in the queue this long after the last job was queued. The index lags by about a second. */
const stayMilliseconds = 30_000;

/**
 * When jobs of a user were last recorded as queued, as far as this instance knows. Saves a read for each further job.
 */
const recordedAt = createBoundedCache<string>(1000);

const isRecent = (queuedAt: string | undefined): boolean =>
  queuedAt !== undefined && Math.abs(now() - Date.parse(queuedAt)) < recordMilliseconds;

/** Users of whom this instance knows when an urgent job was last recorded, by the order that it has recorded. */
const urgentOrders = createBoundedCache<string>(1000);

const isKnownUrgent = (userUlid: string): boolean => {
  const order = urgentOrders.get(userUlid);
  return order !== undefined && isMarkedUrgent(readUserOrder(order), now());
};

/**
 * Adds a user to the queue, before the users without urgent jobs for an urgent one. Called before a job of the user is
 * queued, so that workers always find the job.
 */
export async function joinQueue(userUlid: string, isUrgent: boolean): Promise<void> {
  if (isRecent(recordedAt.get(userUlid)) && (!isUrgent || isKnownUrgent(userUlid))) return;
  for (;;) {
    const known = await getItem(queueUserRecord, keys.queueUser(userUlid));
    const before = known?.queueOrder === undefined ? undefined : readUserOrder(known.queueOrder);
    const isMarked = !isUrgent || (before !== undefined && isMarkedUrgent(before, now()));
    if (known && before) recordedAt.set(userUlid, known.queuedAt);
    if (known && before && isMarked && isRecent(known.queuedAt)) return;
    const queuedAt = timestamp();
    const user: QueuedUser = {
      ...(before ?? (await joining(userUlid, known))),
      ...(!isMarked && { urgentAtMilliseconds: now() }),
    };
    const place = { queueShard: usersShard, queueOrder: userOrder(user) };
    const { servedSeconds, virtualTimeSeconds } = user;
    const hasJoined = await tryWrite({
      update: keys.queueUser(userUlid),
      set: {
        ...{ kind: 'queueUser', queuedAt },
        ...(!before && { userUlid, servedSeconds, virtualTimeSeconds }),
        ...((!before || !isMarked) && place),
      },
      when: !known
        ? { exists: false }
        : before
          ? { equals: { queueShard: usersShard, ...(!isMarked && { queueOrder: known.queueOrder }) } }
          : { equals: { queuedAt: known.queuedAt }, absent: ['queueShard'] },
    });
    if (hasJoined) {
      recordedAt.set(userUlid, queuedAt);
      if (isUrgent) urgentOrders.set(userUlid, place.queueOrder);
      return;
    }
  }
}

/** The virtual times of a user who is not in the queue. */
const joining = async (userUlid: string, known: QueueUser | undefined): Promise<QueuedUser> => ({
  userUlid,
  servedSeconds: joinVirtualTime(known?.servedSeconds ?? 0, await frontVirtualTime()),
  virtualTimeSeconds: known?.virtualTimeSeconds ?? 0,
});

/** Puts a user in whose list no urgent job was found behind those who have some. */
export async function endUrgency(user: WaitingUser): Promise<void> {
  if (!hasNoUrgentJob(user, now())) return;
  const { urgentAtMilliseconds: _, order, ...usual } = user;
  await tryWrite({
    update: keys.queueUser(user.userUlid),
    set: { queueOrder: userOrder(usual) },
    when: { equals: { queueOrder: order } },
  });
}

/**
 * Removes a user without queued jobs from the queue, unless a job was queued so recently that the index may not list it
 * yet.
 */
export async function leaveQueue(userUlid: string): Promise<void> {
  await tryWrite({
    update: keys.queueUser(userUlid),
    remove: ['queueShard', 'queueOrder'],
    when: { equals: { queueShard: usersShard }, below: { queuedAt: timestamp(now() - stayMilliseconds) } },
  });
}

/** The least virtual time of all users in the queue. Those with urgent jobs are listed first at any time. */
const frontVirtualTime = async (): Promise<number | undefined> =>
  inTurn(await queuedUsers(maxQueuedUsers)).all[0]?.servedSeconds;

/** A user in the queue with the place there. */
export type WaitingUser = QueuedUser & { order: string };

/** Users who may have queued jobs: those with urgent ones, then the others, each by virtual time. */
export async function queuedUsers(limit: number): Promise<WaitingUser[]> {
  const items = await queryIndex('queue', usersShard, { limit });
  return items.map(({ queueOrder }) => ({ ...readUserOrder(String(queueOrder)), order: String(queueOrder) }));
}

export type QueuedJobEntry = QueuedJob & { id: JobId };

/** The next jobs of a user, from an eventually consistent index. */
export async function queuedJobs(userUlid: string, limit: number): Promise<QueuedJobEntry[]> {
  const items = await queryIndex('queue', jobsShard(userUlid), { limit });
  return items.map((item) => ({ id: jobIdOf(item), ...readJobOrder(String(item.queueOrder)) }));
}

/** Up to `limit` queued jobs of all users, user by user in the order in which they are served. */
export async function queuedByAll(limit: number): Promise<QueuedJobEntry[]> {
  const found: QueuedJobEntry[] = [];
  for (const { userUlid } of await queuedUsers(limit)) {
    found.push(...(await queuedJobs(userUlid, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

/** Workers look at the jobs of this many users. Users behind them wait until one of these has no queued jobs. */
export const maxQueuedUsers = 100;

/** How many jobs of the users that workers look at are queued. */
export async function countQueued(): Promise<number> {
  const counts = (await queuedUsers(maxQueuedUsers)).map(({ userUlid }) => countIndex('queue', jobsShard(userUlid)));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/**
 * How often recording is tried when other workers record at the same time. After that the fairness of one job is lost.
 */
const recordAttempts = 3;

/**
 * Records that a job of a user was leased.
 * @param waitingUsers how many users are queued
 */
export async function recordServed(user: WaitingUser, job: ServedJob, waitingUsers: number): Promise<void> {
  let { order } = user;
  for (let n = 0; n < recordAttempts; n++) {
    const before = readUserOrder(order);
    const after = served(before, job);
    if (!mustRecord(before, after, waitingUsers)) return;
    const { servedSeconds, virtualTimeSeconds } = after;
    const isRecorded = await tryWrite({
      update: keys.queueUser(user.userUlid),
      set: { servedSeconds, virtualTimeSeconds, queueOrder: userOrder(after) },
      when: { equals: { queueOrder: order } },
    });
    if (isRecorded) return;
    const current = await getItem(queueUserRecord, keys.queueUser(user.userUlid));
    if (current?.queueOrder === undefined) return;
    order = current.queueOrder;
  }
}

/** The virtual time at which a new video of a user joins the user's others. */
export async function findVirtualTime(userUlid: string): Promise<number> {
  return (await getItem(queueUserRecord, keys.queueUser(userUlid)))?.virtualTimeSeconds ?? 0;
}
