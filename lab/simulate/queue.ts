import { jobOrder, type QueuedUser, userOrder } from '../../functions/table/items/queue-keys.ts';
import {
  hasNoUrgentJob,
  inTurn,
  isMarkedUrgent,
  joinVirtualTime,
  mustRecord,
  queueVirtualTime,
  served,
  videoVirtualTime,
} from '../../functions/table/queue/virtual-time.ts';
import type { CallCount } from './store-calls.ts';

export type QueueJob = {
  owner: string;
  virtualTimeSeconds: number;
  estimateSeconds: number;
  isUrgent: boolean;
  queuedAtSeconds: number;
};

/** `order` is the sort key of a user who is in the queue. */
type User = QueuedUser & { queuedAtSeconds: number; order?: string | undefined };

/** How long the table's queue keeps a user without queued jobs. */
const staySeconds = 30;
const noteSeconds = 5;
/** What a worker reads: so many users, and so many jobs of each. */
const maxQueuedUsers = 100;
const candidatesPerUser = 10;

type Options = { ignoresAge?: boolean | undefined };

/**
 * The table's queue in memory: the same sort keys from the same functions.
 * @param ignoresAge waiting changes no order
 */
export function createQueue<Job extends QueueJob>(
  now: () => number,
  calls: CallCount,
  { ignoresAge = false }: Options,
) {
  const agingMilliseconds = (): number => (ignoresAge ? 0 : now() * 1000);
  const users = new Map<string, User>();
  const jobs = new Map<string, { order: string; job: Job }[]>();
  let count = 0;
  let seconds = 0;

  /** The users in the queue, by their sort keys. */
  const waiting: User[] = [];
  const positionOf = (order: string): number => firstPosition(waiting, (user) => user.order! >= order);
  function leave(user: User): void {
    if (user.order !== undefined) waiting.splice(positionOf(user.order), 1);
    user.order = undefined;
  }
  function insert(user: User): void {
    leave(user);
    const order = userOrder(user);
    waiting.splice(positionOf(order), 0, user);
    user.order = order;
  }
  const inOrder = (): User[] => waiting.slice(0, maxQueuedUsers);

  function join(owner: string, isUrgent: boolean): void {
    const known = users.get(owner);
    if (known?.order !== undefined) {
      const isMarked = !isUrgent || isMarkedUrgent(known, now() * 1000);
      if (isMarked && known.queuedAtSeconds > now() - noteSeconds) return;
      known.queuedAtSeconds = now();
      if (!isMarked) {
        leave(known);
        known.urgentAtMilliseconds = now() * 1000;
        insert(known);
      }
    } else {
      const atMilliseconds = agingMilliseconds();
      const queueSeconds = queueVirtualTime(inOrder(), atMilliseconds);
      const joined = joinVirtualTime(known?.servedSeconds ?? 0, queueSeconds, atMilliseconds);
      const virtualTimeSeconds = known ? videoVirtualTime(known, atMilliseconds) : 0;
      const urgentAtMilliseconds = isUrgent ? now() * 1000 : undefined;
      const user = {
        userUlid: owner,
        ...joined,
        virtualTimeSeconds,
        queuedAtSeconds: now(),
        urgentAtMilliseconds,
      };
      users.set(owner, user);
      insert(user);
    }
    calls.note('stay');
  }

  return {
    findVirtualTime: (owner: string): number => {
      const user = users.get(owner);
      return user ? videoVirtualTime(user, agingMilliseconds()) : 0;
    },
    size: (): { jobs: number; seconds: number } => ({ jobs: count, seconds }),

    add(job: Job): void {
      join(job.owner, job.isUrgent);
      const entry = { order: jobOrder({ ...job, attempt: 0 }), job };
      const line = jobs.get(job.owner) ?? [];
      jobs.set(job.owner, line);
      line.splice(
        firstPosition(line, ({ order }) => order > entry.order),
        0,
        entry,
      );
      count++;
      seconds += job.estimateSeconds;
      calls.note('queue');
    },

    /** Removes and returns the next job; undefined when there is none. */
    take(mayTake: (job: Job) => boolean): Job | undefined {
      const seen = inOrder();
      const { urgent, all } = inTurn(seen);
      const claim = (user: User, accepts: (job: Job) => boolean): Job | undefined => {
        const line = jobs.get(user.userUlid) ?? [];
        const position = line.slice(0, candidatesPerUser).findIndex(({ job }) => accepts(job));
        if (position < 0) return undefined;
        const { job } = line.splice(position, 1)[0]!;
        count--;
        seconds -= job.estimateSeconds;
        calls.note('lease');
        const after = served(user, job, agingMilliseconds());
        if (mustRecord(user, after, seen.length)) {
          const { servedSeconds, virtualTimeSeconds, servedAtMilliseconds } = after;
          leave(user);
          Object.assign(user, { servedSeconds, virtualTimeSeconds, servedAtMilliseconds });
          insert(user);
          calls.note('recordServed');
        }
        return job;
      };
      for (const user of urgent) {
        const job = claim(user, (one) => one.isUrgent && mayTake(one));
        if (job) return job;
        // Urgent jobs come first.
        const hasUrgent = jobs.get(user.userUlid)?.[0]?.job.isUrgent === true;
        if (hasUrgent || !hasNoUrgentJob(user, now() * 1000)) continue;
        leave(user);
        user.urgentAtMilliseconds = undefined;
        insert(user);
      }
      for (const user of all) {
        const isEmpty = (jobs.get(user.userUlid) ?? []).length === 0;
        if (isEmpty && user.queuedAtSeconds < now() - staySeconds) leave(user);
        const job = claim(user, mayTake);
        if (job) return job;
      }
      calls.note('idle');
      return undefined;
    },
  };
}

/** The position of the first entry for which `isBehind` holds. It holds for all entries after one for which it does. */
function firstPosition<Entry>(entries: readonly Entry[], isBehind: (entry: Entry) => boolean): number {
  let low = 0;
  for (let high = entries.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (isBehind(entries[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
