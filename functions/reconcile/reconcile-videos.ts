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
import { patienceMilliseconds } from './repair-delay.ts';

export type RepairedVideos = { notStarted: number; stopped: number; marks: number };

/** Videos marked as in work that no execution works on. */
export async function reconcileVideos(): Promise<RepairedVideos> {
  const mended: RepairedVideos = { notStarted: 0, stopped: 0, marks: 0 };
  await forEachSettled(await queryIndex('byOwner', owned('all', 'working', '').ownerKey), async ({ ownerSort }) => {
    const video = await findVideo(String(ownerSort));
    const done = video && (await mendVideo(video));
    if (done) mended[done]++;
  });
  if (mended.notStarted > 0) await admitWaiting();
  return mended;
}

async function mendVideo(video: Video): Promise<keyof RepairedVideos | undefined> {
  if (isFinal(video.status)) return (await unmarked(video)) ? 'marks' : undefined;
  if (video.executionArn !== null && (await isExecutionRunning(video.executionArn))) return undefined;
  if (video.status === 'pending') {
    if (Date.parse(video.createdAt) > now() - patienceMilliseconds) return undefined;
    // Never begun, so nothing is lost: it goes into the line, and from there under another name.
    return (await enqueueWaiting(video)) ? 'notStarted' : undefined;
  }
  // The execution may have ended the video between the two reads.
  const current = await findVideo(video.ulid);
  if (current?.executionArn !== video.executionArn || isFinal(current.status)) return undefined;
  await failVideo(video, 'INTERNAL: The processing was stopped. The video can be processed again.');
  return 'stopped';
}

/** Takes the mark from a video that has ended, unless it is being processed again by now. */
async function unmarked({ ulid, executionCount }: Video): Promise<boolean> {
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
