import { now } from '../../shared/clock.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import {
  endUrgency,
  leaveQueue,
  type QueuedJobEntry,
  queuedJobs,
  type WaitingUser,
} from '../table/queue/queue-table.ts';
import { inTurn } from '../table/queue/virtual-time.ts';
import type { Caller } from './caller.ts';

/** How many jobs of a user a worker tries, since other workers lease the same jobs at the same time. */
export const candidatesPerUser = 10;

/** The first jobs of each user in the order in which they are tried. A user's jobs are read once. */
export async function* candidates(
  users: WaitingUser[],
  { urgentOnly }: Caller,
): AsyncGenerator<{ user: WaitingUser; jobs: QueuedJobEntry[] }> {
  const read = new Map<string, QueuedJobEntry[]>();
  const { urgent, all } = inTurn(users);
  for (const user of urgent.filter(mayBeUrgent)) {
    const jobs = await queuedJobs(user, candidatesPerUser);
    read.set(user.userUlid, jobs);
    // The order of a video's first jobs matters to its viewers, so that it is not rotated.
    const first = jobs.filter(({ isUrgent }) => isUrgent);
    if (first.length > 0) yield { user, jobs: first };
    else await notUrgent(user);
  }
  if (urgentOnly) return;
  for (const user of all) {
    const jobs = read.get(user.userUlid) ?? (await queuedJobs(user, candidatesPerUser));
    if (jobs.length === 0) await leaveQueue(user.userUlid);
    yield { user, jobs: isCrowded() ? rotateHead(jobs) : jobs };
  }
}

/** Users without urgent jobs as this instance has found: when, and when their last one was queued. */
const foundWithout = createBoundedCache<{ atMilliseconds: number; urgentAtMilliseconds: number | undefined }>(1000);
/** The index may list a new urgent job later: after this, the user's jobs are read again. */
const foundMilliseconds = 1_000;

function mayBeUrgent({ userUlid, urgentAtMilliseconds }: WaitingUser): boolean {
  const found = foundWithout.get(userUlid);
  if (found?.urgentAtMilliseconds !== urgentAtMilliseconds) return true;
  return found === undefined || Math.abs(now() - found.atMilliseconds) > foundMilliseconds;
}

async function notUrgent(user: WaitingUser): Promise<void> {
  const { userUlid, urgentAtMilliseconds } = user;
  foundWithout.set(userUlid, { atMilliseconds: now(), urgentAtMilliseconds });
  await endUrgency(user);
}

/** When this instance last tried a job that another worker had just leased. */
let lastMissedAt = 0;
const crowdedMilliseconds = 5_000;

/** Notes that another worker was faster. */
export function missedJob(): void {
  lastMissedAt = now();
}

/** Whether many workers ask at the same time. */
const isCrowded = (): boolean => now() - lastMissedAt < crowdedMilliseconds;

const headSize = 4;

/**
 * Rotates the list by a random number of its first jobs. Workers that ask at the same time see the same list, and would
 * all try the same job. Few workers keep the order, in which a viewer of a running video needs the jobs.
 */
function rotateHead<Entry>(jobs: Entry[]): Entry[] {
  const first = Math.floor(Math.random() * Math.min(headSize, jobs.length));
  return [...jobs.slice(first), ...jobs.slice(0, first)];
}
