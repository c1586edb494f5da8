import type { QueuedJob, QueuedUser } from '../items/queue-keys.ts';

/**
 * The queue's order is start-time fair queueing on two levels: users share the workers, and a user's videos share the
 * user's part. Each flow has a virtual time, the seconds of work that it was given; the flow with the least is served
 * next. A flow that joins later starts at the virtual time of those that wait: it is not compensated for the past, and
 * what it used while no other flow waited is not held against it.
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

/** A user's virtual times after one of the user's jobs is leased. */
export const served = (user: QueuedUser, job: Omit<QueuedJob, 'attempt'>): QueuedUser => ({
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
