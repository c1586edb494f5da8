import { now, timestamp } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { tryWrite } from '../items/conditional.ts';
import { countIndex, getItem } from '../items/items.ts';
import { jobIdOf, keys } from '../items/keys.ts';
import {
  jobOrder,
  jobsShards,
  pickOne,
  type QueuedJob,
  type QueuedUser,
  readJobOrder,
  readUserOrder,
  userOrder,
} from '../items/queue-keys.ts';
import type { JobId } from '../job-id.ts';
import { type QueueUser, queueUserRecord } from '../records.ts';
import { queryShards } from './queue-shards.ts';
import { joiningShard, listUserOrders, shardOfServed, spreadUsers } from './spread-users.ts';
import {
  hasNoUrgentJob,
  isMarkedUrgent,
  joinVirtualTime,
  mustRecord,
  queueVirtualTime,
  type ServedJob,
  served,
  videoVirtualTime,
} from './virtual-time.ts';

/** The index keys of a queued job. */
export const queuePosition = (user: JobsOfUser, job: QueuedJob): { queueShard: string; queueOrder: string } => ({
  queueShard: pickOne(jobsShards(user)),
  queueOrder: jobOrder(job),
});

/** Which partitions have a user's jobs. */
export type JobsOfUser = Pick<QueuedUser, 'userUlid' | 'isSpread'>;

/**
 * The queue of ingests and storage deliveries, in the order in which they came. They take no worker from other jobs, so
 * that users do not share it by what they were served: those of a user are limited in number.
 */
export const fetcherQueue: JobsOfUser = { userUlid: 'ingests' };

/** The queue of transcriptions, which workers look at when no other jobs wait (see `functions/queue/urgency`). */
export const transcriptionQueue: JobsOfUser = { userUlid: 'transcriptions' };

/** Many jobs are queued at once: the time is recorded again only after this. */
const recordMilliseconds = 5_000;
/** A user stays in the queue this long after the last job was queued. The index lags by about a second. */
const stayMilliseconds = 30_000;

/**
 * When jobs of a user were last recorded as queued, as far as this instance knows. Saves a read for each further job.
 */
const recordedAt = createBoundedCache<string>(1000);

/**
 * Users whose jobs this instance knows to be spread. They are until the user leaves the queue, which is later than what
 * `recordedAt` knows has become old.
 */
const knownSpread = createBoundedCache<true | undefined>(1000);

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
 * @param isSpread for a user who is missing from the queue by a fault: jobs may be in any partition
 * @returns in which partitions the job may be queued
 */
export async function joinQueue(userUlid: string, isUrgent: boolean, isSpread = false): Promise<JobsOfUser> {
  if (isRecent(recordedAt.get(userUlid)) && (!isUrgent || isKnownUrgent(userUlid))) {
    return { userUlid, isSpread: knownSpread.get(userUlid) };
  }
  for (;;) {
    const known = await getItem(queueUserRecord, keys.queueUser(userUlid));
    const before = known?.queueOrder === undefined ? undefined : readUserOrder(known.queueOrder);
    const isMarked = !isUrgent || (before !== undefined && isMarkedUrgent(before, now()));
    knownSpread.set(userUlid, before?.isSpread);
    if (known && before) recordedAt.set(userUlid, known.queuedAt);
    if (known && before && isMarked && isRecent(known.queuedAt)) return before;
    const queuedAt = timestamp();
    const user: QueuedUser = {
      ...(before ?? { ...(await joining(userUlid, known)), ...(isSpread && { isSpread: true as const }) }),
      ...(!isMarked && { urgentAtMilliseconds: now() }),
    };
    const position = { queueShard: joiningShard, queueOrder: userOrder(user) };
    const { servedSeconds, virtualTimeSeconds, servedAtMilliseconds } = user;
    const hasJoined = await tryWrite({
      update: keys.queueUser(userUlid),
      set: {
        kind: 'queueUser',
        queuedAt,
        ...(!before && { userUlid, servedSeconds, virtualTimeSeconds, servedAtMilliseconds }),
        ...((!before || !isMarked) && position),
      },
      when: !known
        ? { exists: false }
        : before
          ? isMarked
            ? inQueue
            : { equals: { queueOrder: known.queueOrder } }
          : { equals: { queuedAt: known.queuedAt }, absent: ['queueShard'] },
    });
    if (hasJoined) {
      recordedAt.set(userUlid, queuedAt);
      knownSpread.set(userUlid, user.isSpread);
      if (isUrgent) urgentOrders.set(userUlid, position.queueOrder);
      return user;
    }
  }
}

const inQueue = { atLeast: { queueOrder: '' } };

/** A user with so many queued jobs has further ones spread. */
const manyJobs = 50;
/** An instance counts the queued jobs of a user each time that it has queued this many. */
const countedEvery = 16;
const queuedByInstance = createBoundedCache<number>(1000);

/**
 * Has the further jobs of a user spread when there are many now. The key of the user tells workers where the jobs are,
 * so the reads of all others stay as they are.
 */
export async function spreadManyJobs(user: JobsOfUser): Promise<JobsOfUser> {
  const { userUlid, isSpread } = user;
  if (isSpread) return user;
  const queued = (queuedByInstance.get(userUlid) ?? 0) + 1;
  queuedByInstance.set(userUlid, queued % countedEvery);
  if (queued < countedEvery || (await queuedJobs(user, manyJobs)).length < manyJobs) return user;
  const known = await getItem(queueUserRecord, keys.queueUser(userUlid));
  if (known?.queueOrder === undefined) return user;
  const spread = { ...readUserOrder(known.queueOrder), isSpread: true as const };
  const isWritten = await tryWrite({
    update: keys.queueUser(userUlid),
    // The user must not leave before the index lists the jobs of all partitions.
    set: { queueOrder: userOrder(spread), queuedAt: timestamp() },
    when: { equals: { queueOrder: known.queueOrder } },
  });
  if (!isWritten) return user;
  knownSpread.set(userUlid, true);
  return spread;
}

/** The virtual times of a user who is not in the queue. */
const joining = async (userUlid: string, known: QueueUser | undefined): Promise<QueuedUser> => {
  const queue = queueVirtualTime(await queuedUsers(maxQueuedUsers), now());
  return {
    userUlid,
    ...joinVirtualTime(known?.servedSeconds ?? 0, queue, now()),
    virtualTimeSeconds: known ? videoVirtualTime(known, now()) : 0,
  };
};

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

/** Each call of a worker finds users without jobs who may not leave yet. An instance tries it this often. */
const retryLeavingMilliseconds = 1_000;
const triedToLeave = createBoundedCache<number>(1000);

/**
 * Removes a user without queued jobs from the queue, unless a job was queued so recently that the index may not list it
 * yet.
 */
export async function leaveQueue(userUlid: string): Promise<void> {
  if (Math.abs(now() - (triedToLeave.get(userUlid) ?? 0)) < retryLeavingMilliseconds) return;
  triedToLeave.set(userUlid, now());
  await tryWrite({
    update: keys.queueUser(userUlid),
    remove: ['queueShard', 'queueOrder'],
    when: { ...inQueue, below: { queuedAt: timestamp(now() - stayMilliseconds) } },
  });
}

/** A user in the queue with the position there. */
export type WaitingUser = QueuedUser & { order: string };

/** Users who may have queued jobs: those with urgent ones, then the others, each by virtual time. */
export async function queuedUsers(limit: number): Promise<WaitingUser[]> {
  const users = (await listUserOrders(limit)).map((order) => ({ ...readUserOrder(order), order }));
  // The index may list a user twice who is being moved to another partition.
  return [...new Map(users.toReversed().map((user) => [user.userUlid, user])).values()].toReversed();
}

export type QueuedJobEntry = QueuedJob & { id: JobId };

/** The next jobs of a user, from an eventually consistent index. */
export async function queuedJobs(user: JobsOfUser, limit: number): Promise<QueuedJobEntry[]> {
  const items = await queryShards(jobsShards(user), limit);
  return items.map((item) => ({ id: jobIdOf(item), ...readJobOrder(String(item.queueOrder)) }));
}

/** Up to `limit` queued jobs of all users, user by user in the order in which they are served. */
export async function queuedByAll(limit: number): Promise<QueuedJobEntry[]> {
  const found: QueuedJobEntry[] = [];
  for (const user of await queuedUsers(limit)) {
    found.push(...(await queuedJobs(user, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

/** Workers look at the jobs of this many users. Users behind them wait until one of these is served or leaves. */
export const maxQueuedUsers = 100;

/** How many jobs of the users that workers look at are queued. */
export async function countQueued(): Promise<number> {
  const partitions = (await queuedUsers(maxQueuedUsers)).flatMap(jobsShards);
  const counts = partitions.map((partition) => countIndex('queue', partition));
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
    const after = served(before, job, now());
    if (!mustRecord(before, after, waitingUsers)) return;
    const { servedSeconds, virtualTimeSeconds, servedAtMilliseconds } = after;
    const isRecorded = await tryWrite({
      update: keys.queueUser(user.userUlid),
      set: {
        servedSeconds,
        virtualTimeSeconds,
        servedAtMilliseconds,
        queueShard: shardOfServed(),
        queueOrder: userOrder(after),
      },
      when: { equals: { queueOrder: order } },
    });
    if (isRecorded) return;
    // The first failure may be due to a change that the same call has made.
    if (n > 0) await spreadUsers();
    const current = await getItem(queueUserRecord, keys.queueUser(user.userUlid));
    if (current?.queueOrder === undefined) return;
    order = current.queueOrder;
  }
}

/** The virtual time at which a new video of a user joins the user's others. */
export async function findVirtualTime(userUlid: string): Promise<number> {
  const user = await getItem(queueUserRecord, keys.queueUser(userUlid));
  return user ? videoVirtualTime(user, now()) : 0;
}
