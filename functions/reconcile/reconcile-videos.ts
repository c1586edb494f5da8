import { now } from '../../shared/clock.ts';
import { admitWaiting } from '../admission/admission.ts';
import { isExecutionRunning } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { failVideo } from '../runs/video-run/fail-video.ts';
import { enqueueWaiting } from '../table/admission/admission-table.ts';
import type { Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { listWorkingVideos, unmarkWorking } from '../table/videos/working-videos.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedVideos = { notStarted: number; stopped: number; marks: number };

/** Repairs videos that are marked as being processed while no execution works on them. */
export async function reconcileVideos(): Promise<RepairedVideos> {
  const repaired: RepairedVideos = { notStarted: 0, stopped: 0, marks: 0 };
  await forEachSettled(await listWorkingVideos(), async (ulid) => {
    const video = await findVideo(ulid);
    const repair = video && (await repairVideo(video));
    if (repair) repaired[repair]++;
  });
  if (repaired.notStarted > 0) await admitWaiting();
  return repaired;
}

async function repairVideo(video: Video): Promise<keyof RepairedVideos | undefined> {
  if (isFinal(video.status)) return (await unmarkWorking(video)) ? 'marks' : undefined;
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
