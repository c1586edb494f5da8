import { readEnvironment } from '../../shared/environment.ts';
import { startVideoExecution } from '../aws/executions.ts';
import { log } from '../common/log.ts';
import {
  acquireSlot,
  dequeueWaiting,
  enqueueWaiting,
  findAdmitted,
  freeSlot,
  listWaitingVideos,
  type WaitingVideo,
} from '../table/admission/admission-table.ts';
import type { Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { nextWaiting } from './next-waiting.ts';

/** Executions above the account's quota for map runs would fail, so videos wait for a slot instead. */
const maxSlots = (): number => readEnvironment('MAX_RUNNING_EXECUTIONS');

/** Whether a video has a slot or gets one now. A new video gets none while others wait. */
export async function hasSlot({ ulid, ownerUlid }: Video): Promise<boolean> {
  if ((await findAdmitted())[ulid] !== undefined) return true;
  if ((await listWaitingVideos(1)).length > 0) return false;
  return acquireSlot({ videoUlid: ulid, ownerUlid }, maxSlots());
}

/**
 * Adds a video to the waiting list. Another execution starts it when a slot is free. False when another execution has
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
export async function releaseSlot({ ulid, ownerUlid }: Pick<Video, 'ulid' | 'ownerUlid'>): Promise<void> {
  try {
    await freeSlot({ videoUlid: ulid, ownerUlid });
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
  const owners = Object.values(await findAdmitted());
  const free = maxSlots() - owners.length;
  if (free <= 0) return 0;
  const listed = await listWaitingVideos();
  const unlisted = alsoWaiting.filter((one) => !listed.some(({ videoUlid }) => videoUlid === one.videoUlid));
  let started = 0;
  for (const next of nextWaiting([...listed, ...unlisted], owners, free)) if (await start(next)) started++;
  return started;
}

async function start(waiting: WaitingVideo): Promise<boolean> {
  const video = await findVideo(waiting.videoUlid);
  if (video?.status !== 'pending') {
    // Started or failed since it was listed. A deleted video is in no list any more.
    await dequeueWaiting(waiting);
    return false;
  }
  if (!(await acquireSlot(waiting, maxSlots()))) return false;
  await startVideoExecution(video);
  // After the start, so that a video whose start fails still waits.
  await dequeueWaiting(waiting);
  return true;
}

/** Releases the slots of videos that ended without doing so. Returns how many. */
export async function freeUnusedSlots(): Promise<number> {
  let freed = 0;
  for (const [videoUlid, ownerUlid] of Object.entries(await findAdmitted())) {
    const video = await findVideo(videoUlid);
    if (video && !isFinal(video.status)) continue;
    await freeSlot({ videoUlid, ownerUlid });
    freed++;
  }
  return freed;
}
