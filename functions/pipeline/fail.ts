import * as z from 'zod';
import { causeText } from '../../shared/protocol/job-errors.ts';
import { releaseSlot } from '../admission/admission.ts';
import { addVideoToLog, log } from '../common/log.ts';
import { warnedOriginal } from '../packaging/source-warnings.ts';
import { cancelJobs } from '../queue/cancel-jobs.ts';
import { sourceRun } from '../queue/probe-id.ts';
import { failStreamEdit } from '../stream-edits/end-stream-edit.ts';
import { findJobs } from '../table/queue/job-table.ts';
import type { Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { finishVideo } from '../table/videos/finish-video.ts';
import { findWholeVideo, moveOutput, moveStream } from '../table/videos/video-table.ts';
import { editOfPlan } from './current-run.ts';
import { isPlayed } from './end-streams.ts';
import { noteVideoFailed } from './note-video.ts';

const input = z.object({
  videoUlid: z.string(),
  planNumber: z.int(),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** Ends a video, or a change of one of its streams, that cannot be processed, with the reason where the uploader sees it. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, error } = input.parse(raw);
  addVideoToLog(videoUlid, planNumber);
  // Most often the input's fault, which is no fault of the service.
  log.warn('video failed', { error });
  const whole = await findWholeVideo(videoUlid);
  const change = whole && editOfPlan(whole, planNumber);
  if (change) await failStreamEdit(change, causeText(error));
  else if (whole?.video.planNumber === planNumber) await failVideo(whole.video, causeText(error));
}

/** Moves the video and all that is not final in it to failed. `reason` is `CODE: sentence`. */
export async function failVideo(video: Pick<Video, 'ulid' | 'planNumber'>, reason: string): Promise<void> {
  const { ulid, planNumber } = video;
  const whole = await findWholeVideo(ulid);
  if (whole?.video.planNumber !== planNumber) return;
  await Promise.all([
    ...whole.outputs
      .filter(({ status }) => !isFinal(status))
      .map((output) => moveOutput(ulid, output.ulid, 'failed', { errorLog: reason })),
    ...whole.streams
      .filter(({ status }) => !isFinal(status))
      .map((stream) =>
        isPlayed(stream, whole.outputs)
          ? moveStream(ulid, stream.ulid, 'completed')
          : moveStream(ulid, stream.ulid, 'failed', { errorLog: reason }),
      ),
    ...[sourceRun, planNumber].map((each) => cancelJobs(ulid, each)),
  ]);
  const original = warnedOriginal(whole, await findJobs(ulid, planNumber));
  // False when an earlier call has ended the video, or it was deleted.
  if (await finishVideo(whole, { status: 'failed', original })) noteVideoFailed(reason);
  await releaseSlot(whole.video);
}
