import type { QueuedJob, QueuedUser } from '../items/queue-keys.ts';

/**
 * The queue's order is start-time fair queueing on two levels: users share the workers, and a user's videos share the
 * user's part. Urgent jobs come before all others, in the same order among themselves. Each flow has a virtual time,
 * the seconds of work that it was given; the flow with the least is served next. A flow that joins later starts at the
 * virtual time of those that wait: it is not compensated for the past, and what it used while no other flow waited is
 * not held against it.
 *
 * Flows that join without end, each with little work, would all come before one that has just been served, or share
 * with it for ever. So the virtual time at which flows join also grows with time while others wait: a second of waiting
 * counts as a second of work. What joins later then waits for what has waited longer, up to a limit.
 */

/** The longest that a user who had more than the fair share waits when joining again. */
const maxDebtSeconds = 60;
/** The most work of each user in the queue that a newcomer waits for because the others have waited longer. */
const maxAgeSeconds = 600;

type Joined = Pick<QueuedUser, 'servedSeconds' | 'joinOffsetSeconds'>;

/** The virtual time of the queue, at which a user joins. Undefined when no user waits. */
export function queueVirtualTime(users: readonly Joined[], nowMilliseconds: number): number | undefined {
  if (users.length === 0) return undefined;
  const front = Math.min(...users.map(({ servedSeconds }) => servedSeconds));
  const grown = users.map(({ joinOffsetSeconds: offset }) =>
    offset === undefined ? 0 : offset + nowMilliseconds / 1000,
  );
  return Math.min(Math.max(front, ...grown), front + maxAgeSeconds);
}

/**
 * The virtual times with which a user joins: at least that of the queue, and at most a little more for one who has just
 * had more.
 */
export function joinVirtualTime(servedSeconds: number, queueSeconds: number | undefined, nowMilliseconds: number) {
  const joined =
    queueSeconds === undefined
      ? servedSeconds
      : Math.min(Math.max(servedSeconds, queueSeconds), queueSeconds + maxDebtSeconds);
  const joinOffsetSeconds = Math.round(joined - nowMilliseconds / 1000);
  return { servedSeconds: joined, joinOffsetSeconds, servedAtMilliseconds: nowMilliseconds };
}

/** What counts as served of a leased job. Urgent jobs count like all others. */
export type ServedJob = Pick<QueuedJob, 'virtualTimeSeconds' | 'estimateSeconds'> & Partial<QueuedJob>;

/**
 * A user's virtual times after one of the user's jobs is leased. That of videos is the one of jobs that are not urgent.
 */
export function served<User extends QueuedUser>(user: User, job: ServedJob, nowMilliseconds: number): User {
  const servedSeconds = user.servedSeconds + job.estimateSeconds;
  if (job.isUrgent) return { ...user, servedSeconds };
  const virtualTimeSeconds = Math.max(videoVirtualTime(user, nowMilliseconds), job.virtualTimeSeconds);
  return { ...user, servedSeconds, virtualTimeSeconds, servedAtMilliseconds: nowMilliseconds };
}

type VideosOfUser = Pick<QueuedUser, 'virtualTimeSeconds' | 'servedAtMilliseconds'>;

/** The virtual time at which a new video of a user joins the user's others. */
export function videoVirtualTime({ virtualTimeSeconds, servedAtMilliseconds }: VideosOfUser, nowMilliseconds: number) {
  if (servedAtMilliseconds === undefined) return virtualTimeSeconds;
  return virtualTimeSeconds + Math.max(0, nowMilliseconds - servedAtMilliseconds) / 1000;
}

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
