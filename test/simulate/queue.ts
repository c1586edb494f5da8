import { jobOrder, type QueuedUser, userOrder } from '../../functions/table/items/queue-keys.ts';
import {
  hasNoUrgentJob,
  inTurn,
  isMarkedUrgent,
  joinVirtualTime,
  mustRecord,
  served,
} from '../../functions/table/queue/virtual-time.ts';
import type { CallCount } from './store-calls.ts';

export type QueueJob = {
  owner: string;
  virtualTimeSeconds: number;
  estimateSeconds: number;
  isUrgent: boolean;
  queuedAtSeconds: number;
};

type User = QueuedUser & { queuedAtSeconds: number; isIn: boolean };

/** How long the table's queue keeps a user without queued jobs. */
const staySeconds = 30;
const noteSeconds = 5;

/** The table's queue in memory: the same sort keys from the same functions. */
export function createQueue<Job extends QueueJob>(now: () => number, calls: CallCount) {
  const users = new Map<string, User>();
  const jobs = new Map<string, { order: string; job: Job }[]>();
  let count = 0;
  let seconds = 0;

  const inOrder = (): User[] =>
    [...users.values()].filter(({ isIn }) => isIn).sort((a, b) => (userOrder(a) < userOrder(b) ? -1 : 1));

  function join(owner: string, isUrgent: boolean): void {
    const known = users.get(owner);
    if (known?.isIn) {
      const isMarked = !isUrgent || isMarkedUrgent(known, now() * 1000);
      if (isMarked && known.queuedAtSeconds > now() - noteSeconds) return;
      known.queuedAtSeconds = now();
      if (!isMarked) known.urgentAtMilliseconds = now() * 1000;
    } else {
      const servedSeconds = joinVirtualTime(known?.servedSeconds ?? 0, inTurn(inOrder()).all[0]?.servedSeconds);
      const virtualTimeSeconds = known?.virtualTimeSeconds ?? 0;
      const urgentAtMilliseconds = isUrgent ? now() * 1000 : undefined;
      users.set(owner, {
        ...{ userUlid: owner, servedSeconds, virtualTimeSeconds, queuedAtSeconds: now(), isIn: true },
        urgentAtMilliseconds,
      });
    }
    calls.note('stay');
  }

  return {
    findVirtualTime: (owner: string): number => users.get(owner)?.virtualTimeSeconds ?? 0,
    size: (): { jobs: number; seconds: number } => ({ jobs: count, seconds }),

    add(job: Job): void {
      join(job.owner, job.isUrgent);
      const entry = { order: jobOrder({ ...job, attempt: 0 }), job };
      const line = jobs.get(job.owner) ?? [];
      jobs.set(job.owner, line);
      let low = 0;
      for (let high = line.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (line[middle]!.order <= entry.order) low = middle + 1;
        else high = middle;
      }
      line.splice(low, 0, entry);
      count++;
      seconds += job.estimateSeconds;
      calls.note('queue');
    },

    /** Removes and returns the next job; undefined when there is none. */
    take(mayTake: (job: Job) => boolean): Job | undefined {
      const waiting = inOrder();
      const { urgent, all } = inTurn(waiting);
      const claim = (user: User, accepts: (job: Job) => boolean): Job | undefined => {
        const line = jobs.get(user.userUlid) ?? [];
        const position = line.findIndex(({ job }) => accepts(job));
        if (position < 0) return undefined;
        const { job } = line.splice(position, 1)[0]!;
        count--;
        seconds -= job.estimateSeconds;
        calls.note('lease');
        const after = served(user, job);
        if (mustRecord(user, after, waiting.length)) {
          Object.assign(user, after);
          calls.note('recordServed');
        }
        return job;
      };
      for (const user of urgent) {
        const job = claim(user, (one) => one.isUrgent && mayTake(one));
        if (job) return job;
        const hasUrgent = (jobs.get(user.userUlid) ?? []).some(({ job: one }) => one.isUrgent);
        if (!hasUrgent && hasNoUrgentJob(user, now() * 1000)) user.urgentAtMilliseconds = undefined;
      }
      for (const user of all) {
        const isEmpty = (jobs.get(user.userUlid) ?? []).length === 0;
        if (isEmpty && user.queuedAtSeconds < now() - staySeconds) user.isIn = false;
        const job = claim(user, mayTake);
        if (job) return job;
      }
      calls.note('idle');
      return undefined;
    },
  };
}
