import { now } from '../../shared/clock.ts';
import { admitWaiting } from '../admission/admission.ts';
import { isExecutionRunning } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { failVideo } from '../runs/video-run/fail-video.ts';
import { ConditionFailed, queryIndex, transact } from '../table/items/items.ts';
import { keys, owned } from '../table/items/keys.ts';
import { enqueueWaiting } from '../table/queue/admission-table.ts';
import type { Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedVideos = { notStarted: number; stopped: number; marks: number };

/** Repairs videos that are marked as being processed while no execution works on them. */
export async function reconcileVideos(): Promise<RepairedVideos> {
  const repaired: RepairedVideos = { notStarted: 0, stopped: 0, marks: 0 };
  await forEachSettled(await queryIndex('byOwner', owned('all', 'working', '').ownerKey), async ({ ownerSort }) => {
    const video = await findVideo(String(ownerSort));
    const repair = video && (await repairVideo(video));
    if (repair) repaired[repair]++;
  });
  if (repaired.notStarted > 0) await admitWaiting();
  return repaired;
}

async function repairVideo(video: Video): Promise<keyof RepairedVideos | undefined> {
  if (isFinal(video.status)) return (await removeWorkingMark(video)) ? 'marks' : undefined;
  if (video.executionArn !== null && (await isExecutionRunning(video.executionArn))) return undefined;
  if (video.status === 'pending') {
    if (Date.parse(video.createdAt) > now() - repairDelayMilliseconds) return undefined;
    // It was never started: enqueued, it is started by an execution with a new name.
    return (await enqueueWaiting(video)) ? 'notStarted' : undefined;
  }
  // The execution may have ended the video after it was read.
  const current = await findVideo(video.ulid);
  if (current?.executionArn !== video.executionArn || isFinal(current.status)) return undefined;
  await failVideo(video, 'INTERNAL: The processing was stopped. The video can be processed again.');
  return 'stopped';
}

/** Removes the mark of a video that has ended, unless the video is being processed again. */
async function removeWorkingMark({ ulid, executionCount }: Video): Promise<boolean> {
  try {
    await transact([
      { check: keys.video(ulid), when: { equals: { executionCount }, oneOf: { status: ['completed', 'failed'] } } },
      { delete: keys.working(ulid) },
    ]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
