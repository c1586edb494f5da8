import type { QueuedJob, QueuedUser } from '../items/queue-keys.ts';

/**
 * The queue's order is start-time fair queueing on two levels: users share the workers, and a user's videos share the
 * user's part. Urgent jobs come before all others, in the same order among themselves. Each flow has a virtual time,
 * the seconds of work that it was given; the flow with the least is served next. A flow that joins later starts at the
 * virtual time of those that wait: it is not compensated for the past, and what it used while no other flow waited is
 * not held against it.
 */

/** The longest that a user who had more than the fair share waits when joining again. */
const maxDebtSeconds = 60;

/**
 * The virtual time at which a user joins: at least that of the next user, and at most a little more for one who has
 * just had more.
 */
export function joinVirtualTime(servedSeconds: number, frontSeconds: number | undefined): number {
  if (frontSeconds === undefined) return servedSeconds;
  return Math.min(Math.max(servedSeconds, frontSeconds), frontSeconds + maxDebtSeconds);
}

/** What counts as served of a leased job. Urgent jobs count like all others. */
export type ServedJob = Pick<QueuedJob, 'virtualTimeSeconds' | 'estimateSeconds'>;

/** A user's virtual times after one of the user's jobs is leased. */
export const served = <User extends QueuedUser>(user: User, job: ServedJob): User => ({
  ...user,
  servedSeconds: user.servedSeconds + job.estimateSeconds,
  virtualTimeSeconds: Math.max(user.virtualTimeSeconds, job.virtualTimeSeconds),
});

/** How far the recorded virtual time of a single user may be behind: each record is a write. */
const recordStepSeconds = 30;

/**
 * Whether a user's new virtual times must be recorded: always when several users wait, since they decide who is next.
 */
export const mustRecord = (before: QueuedUser, after: QueuedUser, waitingUsers: number): boolean =>
  waitingUsers > 1 || after.virtualTimeSeconds - before.virtualTimeSeconds >= recordStepSeconds;

/**
 * The users in the order in which they are served: first those who may have urgent jobs, with these jobs only, then all
 * of them with all jobs.
 */
export function inTurn<User extends QueuedUser>(users: readonly User[]): { urgent: User[]; all: User[] } {
  const all = users.toSorted((a, b) => a.servedSeconds - b.servedSeconds);
  return { urgent: all.filter(({ urgentAtMilliseconds }) => urgentAtMilliseconds !== undefined), all };
}

/** The index lists a queued job about a second later. */
const indexLagMilliseconds = 2_000;

/**
 * Whether a user in whose list no urgent job is found has none. A user who is wrongly taken for one without loses the
 * precedence of a job, and no job.
 */
export const hasNoUrgentJob = ({ urgentAtMilliseconds = 0 }: QueuedUser, nowMilliseconds: number): boolean =>
  nowMilliseconds - urgentAtMilliseconds > indexLagMilliseconds;

/** Of several urgent jobs that are queued at once, the first is recorded with its user. */
const urgentStepMilliseconds = 1_000;

export const isMarkedUrgent = ({ urgentAtMilliseconds }: QueuedUser, nowMilliseconds: number): boolean =>
  urgentAtMilliseconds !== undefined && Math.abs(nowMilliseconds - urgentAtMilliseconds) < urgentStepMilliseconds;
