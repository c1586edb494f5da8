import { finishedTracks } from '../../job-results/finished-tracks.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import type { StreamEdit } from '../../table/records.ts';
import { moveOutput, moveStream, type WholeVideo } from '../../table/videos/video-table.ts';
import { outputsOfEdit } from './plan-edit.ts';

/**
 * Starts the outputs of an edit, unless its stream could not be encoded. Completed outputs play their present files
 * until they are swapped.
 */
export async function startRebuild(whole: WholeVideo, edit: StreamEdit): Promise<'package' | 'failed'> {
  const { videoUlid, planNumber, streamUlid } = edit;
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  if (plan.streams.some(({ name }) => !tracks.has(name))) return 'failed';
  // Still pending when every job of it was done in an earlier execution: no worker has reported on it.
  if (edit.action === 'encode') await moveStream(whole.video, streamUlid, 'running');
  for (const { ulid, status } of outputsOfEdit(whole, edit)) {
    if (status === 'pending') await moveOutput(whole.video, ulid, 'running');
  }
  return 'package';
}
