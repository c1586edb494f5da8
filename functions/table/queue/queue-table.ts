import { now, timestamp } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { ConditionFailed, countIndex, getItem, queryIndex, write } from '../items/items.ts';
import { type JobId, jobIdOf, keys } from '../items/keys.ts';
import { queueUserRecord } from '../records.ts';
import {
  isWorthNoting,
  jobOrder,
  joinedAt,
  type QueuedJob,
  type QueuedUser,
  readJobOrder,
  readUserOrder,
  served,
  userOrder,
} from './virtual-time.ts';

/** Users in order of their virtual time, and below each user the jobs in order of theirs: both levels lie in one index. */
const users = 'users';
const jobsOf = (userUlid: string): string => `jobs#${userUlid}`;

/** The index keys of a queued job. */
export const queuePlace = (userUlid: string, job: QueuedJob): { queueShard: string; queueOrder: string } => ({
  queueShard: jobsOf(userUlid),
  queueOrder: jobOrder(job),
});

/** Queueing many jobs notes its time as often; the index shows a job within a second or so, long before its user may leave. */
const noteMilliseconds = 5_000;
const stayMilliseconds = 30_000;

/** When jobs of a user were last noted to be queued, as far as this instance knows: until that has to be noted again, it need not be read. */
const notedAt = createBoundedCache<string>(1000);

const isNoted = (queuedAt: string | undefined): boolean =>
  queuedAt !== undefined && Math.abs(now() - Date.parse(queuedAt)) < noteMilliseconds;

/** Sees to it that workers look for the jobs of this user. To be called before a job is queued: one that is queued is then always found. */
export async function joinQueue(userUlid: string): Promise<void> {
  if (isNoted(notedAt.get(userUlid))) return;
  for (;;) {
    const known = await getItem(queueUserRecord, keys.queueUser(userUlid));
    const isIn = known?.queueOrder !== undefined;
    if (isIn) notedAt.set(userUlid, known.queuedAt);
    if (isIn && isNoted(known.queuedAt)) return;
    const queuedAt = timestamp();
    const user: QueuedUser = {
      userUlid,
      servedSeconds: isIn ? known.servedSeconds : joinedAt(known?.servedSeconds ?? 0, await frontSeconds()),
      turnSeconds: known?.turnSeconds ?? 0,
    };
    const place = { ...user, queueShard: users, queueOrder: userOrder(user) };
    try {
      await write({
        update: keys.queueUser(userUlid),
        set: { kind: 'queueUser', queuedAt, ...(!isIn && place) },
        when: !known
          ? { exists: false }
          : isIn
            ? { equals: { queueShard: users } }
            : { equals: { queuedAt: known.queuedAt }, absent: ['queueShard'] },
      });
      notedAt.set(userUlid, queuedAt);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/** Takes a user whose jobs are all given out off the list, unless a job was queued just now that the index may not show yet. */
export async function leaveQueue(userUlid: string): Promise<void> {
  try {
    await write({
      update: keys.queueUser(userUlid),
      remove: ['queueShard', 'queueOrder'],
      when: { equals: { queueShard: users }, below: { queuedAt: timestamp(now() - stayMilliseconds) } },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

const frontSeconds = async (): Promise<number | undefined> => (await queuedUsers(1))[0]?.servedSeconds;

/** Users who may have jobs queued, the one who is next first. */
export async function queuedUsers(limit: number): Promise<(QueuedUser & { order: string })[]> {
  const items = await queryIndex('queue', users, { limit });
  return items.map(({ queueOrder }) => ({ ...readUserOrder(String(queueOrder)), order: String(queueOrder) }));
}

export type QueuedJobEntry = QueuedJob & { id: JobId };

/** The next jobs of a user, from an eventually consistent index. */
export async function queuedJobs(userUlid: string, limit: number): Promise<QueuedJobEntry[]> {
  const items = await queryIndex('queue', jobsOf(userUlid), { limit });
  return items.map((item) => ({ id: jobIdOf(item), ...readJobOrder(String(item.queueOrder)) }));
}

/** What is queued by all users, up to `limit` jobs, in the order in which users are next. */
export async function queuedByAll(limit: number): Promise<QueuedJobEntry[]> {
  const found: QueuedJobEntry[] = [];
  for (const { userUlid } of await queuedUsers(limit)) {
    found.push(...(await queuedJobs(userUlid, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

/** Workers look at the queue of this many users: those behind them wait until some of these have nothing queued any more. */
export const usersLookedAt = 100;

/** How many jobs a worker of a node may be given: any kind, of the users that workers look at. */
export async function countQueued(): Promise<number> {
  const counts = (await queuedUsers(usersLookedAt)).map(({ userUlid }) => countIndex('queue', jobsOf(userUlid)));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** How often a user's times are tried to be noted when other workers note theirs at the same moment. What is lost then is a job's worth of fairness. */
const tries = 3;

/** Notes that a job of a user was given to a worker. `order` is the user's place as it was read, `waitingUsers` how many users were in the queue. */
export async function noteServed(
  user: QueuedUser & { order: string },
  job: Omit<QueuedJob, 'attempt'>,
  waitingUsers: number,
): Promise<void> {
  let { order } = user;
  for (let n = 0; n < tries; n++) {
    const before = readUserOrder(order);
    const after = served(before, job);
    if (!isWorthNoting(before, after, waitingUsers)) return;
    const { servedSeconds, turnSeconds } = after;
    try {
      await write({
        update: keys.queueUser(user.userUlid),
        set: { servedSeconds, turnSeconds, queueOrder: userOrder(after) },
        when: { equals: { queueOrder: order } },
      });
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const current = await getItem(queueUserRecord, keys.queueUser(user.userUlid));
      if (current?.queueOrder === undefined) return;
      order = current.queueOrder;
    }
  }
}

/** Where a new video of a user joins the user's others. */
export async function turnOf(userUlid: string): Promise<number> {
  return (await getItem(queueUserRecord, keys.queueUser(userUlid)))?.turnSeconds ?? 0;
}
