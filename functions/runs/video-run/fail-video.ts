import { releaseSlot } from '../../admission/admission.ts';
import { isFinal } from '../../contracts/statuses.ts';
import { endPlayback } from '../../early-playback/end-playback.ts';
import { originalWithWarnings } from '../../packaging/source-warnings.ts';
import { probePlanNumber } from '../../table/job-id.ts';
import { cancelJobs } from '../../table/jobs/job-endings.ts';
import { findJobs } from '../../table/jobs/job-table.ts';
import type { Video } from '../../table/records.ts';
import { finishVideo } from '../../table/videos/finish-video.ts';
import { forgetUploadOf, restoreSource } from '../../table/videos/replace-source.ts';
import { findWholeVideo, moveOutput, moveStream, type WholeVideo } from '../../table/videos/video-table.ts';
import { countStored } from '../../table/views/count-stored.ts';
import { originalChange } from './original-change.ts';
import { isPlayed } from './settle-streams.ts';
import { emitFailed } from './video-metrics.ts';

/**
 * Moves the video, and all of its outputs and streams that are not final, to failed, and cancels its jobs. Does nothing
 * when the video has another plan by now. A video whose source was being replaced is again what it was before. `reason`
 * is `CODE: sentence`, as the uploader sees it.
 */
export async function failVideo(video: Pick<Video, 'ulid' | 'planNumber'>, reason: string): Promise<void> {
  const { ulid, planNumber } = video;
  const whole = await findWholeVideo(ulid);
  if (whole?.video.planNumber !== planNumber) return;
  await endPlayback(whole);
  const canceled = [probePlanNumber, planNumber].map((each) => cancelJobs(ulid, each));
  if (whole.video.replaced) {
    await Promise.all(canceled);
    if (await restoreSource(whole, reason)) emitFailed(whole.video, reason);
    await forgetUploadOf(whole.video.sourceKey);
    await countStored(ulid);
    await releaseSlot(whole.video);
    return;
  }
  await Promise.all([failParts(whole, reason), ...canceled]);
  const warnings = originalWithWarnings(whole, await findJobs(ulid, planNumber));
  const original = isShown(whole, reason) ? warnings : originalChange(whole, warnings, reason);
  // False when an earlier call has ended the video, or when the video was deleted.
  if (await finishVideo(whole, { status: 'failed', original })) emitFailed(whole.video, reason);
  await countStored(ulid);
  await releaseSlot(whole.video);
}

/** One after the other: outputs are one item, and so are streams, on which concurrent transactions conflict. */
async function failParts({ video, outputs, streams }: WholeVideo, reason: string): Promise<void> {
  for (const { ulid, status } of outputs) {
    if (!isFinal(status)) await moveOutput(video, ulid, 'failed', { errorLog: reason });
  }
  for (const stream of streams) {
    if (isFinal(stream.status)) continue;
    if (isPlayed(stream, outputs)) await moveStream(video, stream.ulid, 'completed');
    else await moveStream(video, stream.ulid, 'failed', { errorLog: reason });
  }
}

/**
 * Whether an output or a stream gets the reason, or has it from an earlier call. When a reprocess fails before its plan
 * is recorded, all of them may be final, those of the earlier plan. The original then shows the reason.
 */
const isShown = ({ streams, outputs }: WholeVideo, reason: string): boolean =>
  outputs.some(({ status }) => !isFinal(status)) ||
  streams.some((stream) => !isFinal(stream.status) && !isPlayed(stream, outputs)) ||
  [...outputs, ...streams].some(({ errorLog }) => errorLog === reason);
