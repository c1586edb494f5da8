import { finishedTracks } from '../packaging/finished-tracks.ts';
import { readPlan } from '../planning/stored-plans.ts';
import type { StreamEdit } from '../table/records.ts';
import { moveOutput, moveStream, type WholeVideo } from '../table/videos/video-table.ts';
import { outputsOf } from './plan-edit.ts';

/** Whether outputs can be rebuilt now that the stream's encodes have ended. What plays meanwhile is left as it is. */
export async function startRebuild(whole: WholeVideo, change: StreamEdit): Promise<'package' | 'failed'> {
  const { videoUlid, planNumber, streamUlid } = change;
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  if (plan.streams.some(({ name }) => !tracks.has(name))) return 'failed';
  // All of it may have been done before, so that no worker has shown that it is under way.
  if (change.action === 'encode') await moveStream(videoUlid, streamUlid, 'running');
  for (const { ulid, status } of outputsOf(whole, change)) {
    if (status === 'pending') await moveOutput(videoUlid, ulid, 'running');
  }
  return 'package';
}
