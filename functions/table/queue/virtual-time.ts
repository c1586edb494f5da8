/**
 * The queue's order is start-time fair queueing on two levels: users share the workers, and a user's videos share what the user gets. Each flow has a
 * virtual time, the seconds of work it was given; who has the least is served next. A flow that comes later joins at the time of those that wait: it is
 * owed nothing for the past, and nothing that others used while nobody waited is held against them.
 */

/** What a user who had more than the share is made to wait for at most, when joining anew. */
const longestDebtSeconds = 60;

/** Where a user's virtual time starts again who had nothing queued: at that of who is next, or a little later for one who has just had more. */
export function joinedAt(servedSeconds: number, frontSeconds: number | undefined): number {
  if (frontSeconds === undefined) return servedSeconds;
  return Math.min(Math.max(servedSeconds, frontSeconds), frontSeconds + longestDebtSeconds);
}

/** A time as text in whose order it stands among others. Milliseconds, up to 31,000 years. */
const sortable = (seconds: number): string => String(Math.round(seconds * 1000)).padStart(15, '0');

/** A user's place among the users, which also tells the turn that the user's videos have come to. */
export const userOrder = ({ servedSeconds, turnSeconds, userUlid }: QueuedUser): string =>
  [sortable(servedSeconds), sortable(turnSeconds), userUlid].join('#');

export type QueuedUser = {
  userUlid: string;
  /** seconds of work the user's jobs were given */
  servedSeconds: number;
  /** the latest turn of the user's jobs that was given to a worker: where the next video of the user joins */
  turnSeconds: number;
};

export function readUserOrder(order: string): QueuedUser {
  const [served, turn, userUlid = ''] = order.split('#');
  return { userUlid, servedSeconds: Number(served) / 1000, turnSeconds: Number(turn) / 1000 };
}

/** A job's place among the jobs of its user. Estimate and attempt ride along, since the index holds keys only: the job is given without being read. */
export const jobOrder = ({ turnSeconds, estimateSeconds, attempt }: QueuedJob): string =>
  `${sortable(turnSeconds)}#${Math.ceil(estimateSeconds)}#${attempt}`;

export type QueuedJob = {
  /** the virtual time of its video at which it is due */
  turnSeconds: number;
  estimateSeconds: number;
  /** how often it was given before */
  attempt: number;
};

export function readJobOrder(order: string): QueuedJob {
  const [turn, estimateSeconds, attempt] = order.split('#').map(Number);
  return { turnSeconds: (turn ?? 0) / 1000, estimateSeconds: estimateSeconds ?? 0, attempt: attempt ?? 0 };
}

/** A user's times after a job was given to a worker. */
export const served = (user: QueuedUser, job: Omit<QueuedJob, 'attempt'>): QueuedUser => ({
  ...user,
  servedSeconds: user.servedSeconds + job.estimateSeconds,
  turnSeconds: Math.max(user.turnSeconds, job.turnSeconds),
});

/** How far the noted turn of a user who is alone may be behind: each note is a write. */
const turnStepSeconds = 30;

/** Whether what a user was given has to be noted: between users always, since it decides who is next; for one alone only now and then. */
export const isWorthNoting = (before: QueuedUser, after: QueuedUser, waitingUsers: number): boolean =>
  waitingUsers > 1 || after.turnSeconds - before.turnSeconds >= turnStepSeconds;
