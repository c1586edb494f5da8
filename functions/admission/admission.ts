import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { startVideoExecution } from '../aws/executions.ts';
import { throwAggregate } from '../common/concurrency.ts';
import { drain } from '../common/drain.ts';
import { log } from '../common/log.ts';
import {
  acquireSlot,
  countAdmitted,
  countAdmittedOf,
  freeSlot,
  hasOwnSlot,
  type UnusedSlot,
  unusedSlots,
} from '../table/admission/slots.ts';
import {
  dequeueWaiting,
  enqueueWaiting,
  firstWaiting,
  moveToEnd,
  type WaitingVideo,
} from '../table/admission/waiting-line.ts';
import type { Video } from '../table/records.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { nextWaiting } from './next-waiting.ts';

/** Executions above the account's quota for map runs would fail, so videos wait for a slot instead. */
const maxSlots = (): number => readEnvironment('MAX_RUNNING_EXECUTIONS');

/** How many users, and videos of each, are compared at a time. Memory does not grow with the waiting videos. */
const compared = { users: 25, videosOfUser: 10 };
/** The next call, at the latest that of the reaper, continues. */
const admissionMilliseconds = 15_000;

/** Whether a video has a slot or gets one now. A new video gets none while others wait. */
export async function hasSlot({ ulid, ownerUlid }: Video): Promise<boolean> {
  if (await hasOwnSlot(ulid)) return true;
  if ((await firstWaiting({ users: 1, videosOfUser: 1 })).length > 0) return false;
  return acquireSlot({ videoUlid: ulid, ownerUlid }, maxSlots());
}

/**
 * Adds a video to the waiting videos. Another execution starts it when a slot is free. False when another execution has
 * the video.
 */
export async function enqueueVideo(video: Video): Promise<boolean> {
  if (!(await enqueueWaiting(video))) return false;
  // A slot may have become free since the video was refused, and the index may not list the video yet.
  await admitWaiting([{ videoUlid: video.ulid, ownerUlid: video.ownerUlid }]);
  return true;
}

/**
 * Releases the slot of a video that has ended, and admits the next one. The reaper repeats what fails here every
 * minute.
 */
export async function releaseSlot({ ulid }: Pick<Video, 'ulid'>): Promise<void> {
  try {
    await freeSlot(ulid);
    await admitWaiting();
  } catch (error) {
    log.warn('a slot was not released, or the next video not admitted', { video: ulid, error: error as Error });
  }
}

/**
 * Starts as many waiting videos as slots are free. Returns how many were started.
 * @param alsoWaiting videos that wait and may not be in the index yet
 */
export async function admitWaiting(alsoWaiting: WaitingVideo[] = []): Promise<number> {
  const untilMilliseconds = now() + admissionMilliseconds;
  const tried = new Set<string>();
  const failures: unknown[] = [];
  let started = 0;
  let isFull = false;
  while (!isFull && now() < untilMilliseconds) {
    const chosen = await chooseNext(alsoWaiting, tried);
    if (chosen.length === 0) break;
    for (const next of chosen) {
      tried.add(next.videoUlid);
      const outcome = await start(next).catch((error: unknown) => failures.push(error) && 'failed');
      if (outcome === 'started') started++;
      if (outcome === 'full') isFull = true;
      if (isFull) break;
    }
  }
  throwAggregate(failures);
  return started;
}

/** The next videos for the free slots, of the users who come first in the line. */
async function chooseNext(alsoWaiting: WaitingVideo[], tried: ReadonlySet<string>): Promise<WaitingVideo[]> {
  const listed = await firstWaiting(compared);
  const unlisted = alsoWaiting.filter((one) => !listed.some(({ videoUlid }) => videoUlid === one.videoUlid));
  const waiting = [...listed, ...unlisted].filter(({ videoUlid }) => !tried.has(videoUlid));
  if (waiting.length === 0) return [];
  const free = maxSlots() - (await countAdmitted());
  if (free <= 0) return [];
  const owners = [...new Set(waiting.map(({ ownerUlid }) => ownerUlid))];
  const running = await Promise.all(
    owners.map(async (ownerUlid) => Array.from({ length: await countAdmittedOf(ownerUlid) }, () => ownerUlid)),
  );
  return nextWaiting(waiting, running.flat(), free);
}

async function start(waiting: WaitingVideo): Promise<'started' | 'not-waiting' | 'full'> {
  const video = await findVideo(waiting.videoUlid);
  if (video?.status !== 'pending') {
    // Started or failed since it was listed. A deleted video is in no list any more.
    await dequeueWaiting(waiting);
    return 'not-waiting';
  }
  if (!(await acquireSlot(waiting, maxSlots()))) return 'full';
  await startVideoExecution(video);
  // After the start, so that a video whose start fails still waits. The reaper starts it, since it has a slot.
  await dequeueWaiting(waiting);
  await moveToEnd(waiting.ownerUlid);
  return 'started';
}

const checkMilliseconds = 10_000;

/**
 * Releases the slots of videos that ended without doing so. Starts videos that got a slot and still wait, since their
 * start has failed: their slots are not free, so that nothing else would start when all slots are such.
 */
export async function checkSlots(): Promise<{ freed: number; started: number }> {
  const counts = { freed: 0, started: 0 };
  const check = async ({ isWaiting, ...video }: UnusedSlot): Promise<void> => {
    if (isWaiting) {
      if ((await start(video)) === 'started') counts.started++;
    } else if (await freeSlot(video.videoUlid)) counts.freed++;
  };
  await drain(unusedSlots(), check, { untilMilliseconds: now() + checkMilliseconds, concurrency: 5 });
  return counts;
}
