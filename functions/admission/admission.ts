import { readEnvironment } from '../../shared/environment.ts';
import { startVideoExecution } from '../aws/executions.ts';
import { log } from '../common/log.ts';
import {
  acquireSlot,
  admitted,
  dequeueWaiting,
  enqueueWaiting,
  releaseSlotWrite,
  waitingVideos,
} from '../table/admission/admission-table.ts';
import type { Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { nextWaiting, type WaitingVideo } from './next-waiting.ts';

/** Executions above the account's quota on map runs would fail; videos wait for a place instead. */
const places = (): number => readEnvironment('MAX_RUNNING_EXECUTIONS');

/** Whether the video may be worked on now. One that comes by itself does not overtake those in line. */
export async function hasSlot({ ulid, ownerUlid }: Video): Promise<boolean> {
  if ((await admitted())[ulid] !== undefined) return true;
  if ((await waitingVideos(1)).length > 0) return false;
  return acquireSlot({ videoUlid: ulid, ownerUlid }, places());
}

/** Lets a video wait for a place. It is started when one is free, without this execution. False when the video is not this execution's any more. */
export async function enqueueVideo(video: Video): Promise<boolean> {
  if (!(await enqueueWaiting(video))) return false;
  // A place may have become free since this video was refused; the index may not show it yet.
  await admitWaiting([{ videoUlid: video.ulid, ownerUlid: video.ownerUlid }]);
  return true;
}

/** Gives back the place of a video that has ended, for the next one in line. What goes wrong is made good by the minute tick. */
export async function releaseSlot({ ulid, ownerUlid }: Pick<Video, 'ulid' | 'ownerUlid'>): Promise<void> {
  try {
    await releaseSlotWrite({ videoUlid: ulid, ownerUlid });
    await admitWaiting();
  } catch (error) {
    log.warn('a place was not passed on', { video: ulid, error: error as Error });
  }
}

/** Starts as many videos in line as places are free. `alsoWaiting` are in line though it may not show. Returns how many were started. */
export async function admitWaiting(alsoWaiting: WaitingVideo[] = []): Promise<number> {
  const owners = Object.values(await admitted());
  const free = places() - owners.length;
  if (free <= 0) return 0;
  const line = await waitingVideos();
  const unseen = alsoWaiting.filter((one) => !line.some(({ videoUlid }) => videoUlid === one.videoUlid));
  let started = 0;
  for (const next of nextWaiting([...line, ...unseen], owners, free)) if (await start(next)) started++;
  return started;
}

async function start(waiting: WaitingVideo): Promise<boolean> {
  const video = await findVideo(waiting.videoUlid);
  if (video?.status !== 'pending') {
    // Taken up or failed meanwhile; the mark of a deleted one went with it.
    await dequeueWaiting(waiting);
    return false;
  }
  if (!(await acquireSlot(waiting, places()))) return false;
  await startVideoExecution(video);
  // Last, so that one that was not started is still in line.
  await dequeueWaiting(waiting);
  return true;
}

/** Gives back the places of videos that ended without doing so. Returns how many. */
export async function freeSlots(): Promise<number> {
  let freed = 0;
  for (const [videoUlid, ownerUlid] of Object.entries(await admitted())) {
    const video = await findVideo(videoUlid);
    if (video && !isFinal(video.status)) continue;
    await releaseSlotWrite({ videoUlid, ownerUlid });
    freed++;
  }
  return freed;
}
