import * as z from 'zod';
import { causeText } from '../../shared/job-errors.ts';
import { log, nameInLog } from '../../shared/log.ts';
import type { Video } from '../../shared/records.ts';
import { isFinal } from '../../shared/statuses.ts';
import { countedOutcome } from '../../shared/table/analytics.ts';
import { ConditionFailed, transact } from '../../shared/table/items.ts';
import { findJobs } from '../../shared/table/jobs.ts';
import { keys } from '../../shared/table/keys.ts';
import { attemptsRetirement } from '../../shared/table/retired-files.ts';
import { findWholeVideo, moveOutput, moveStream, videoMove } from '../../shared/table/videos.ts';
import { failChange } from '../changes/end-change.ts';
import { passPlaceOn } from '../jobs/admission.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { changeIn } from '../jobs/current-run.ts';
import { sourceRun } from '../jobs/probe-id.ts';
import { warnedOriginal } from '../jobs/source-warnings.ts';
import { isPlayed } from './end-streams.ts';
import { noteVideoFailed } from './note-video.ts';

const input = z.object({
  videoUlid: z.string(),
  run: z.int(),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** Ends a video, or a change of one of its streams, that cannot be processed, with the reason where the uploader sees it. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, run, error } = input.parse(raw);
  nameInLog(videoUlid, run);
  // Most often the input's fault, which is no fault of the service.
  log.warn('video failed', { error });
  const whole = await findWholeVideo(videoUlid);
  const change = whole && changeIn(whole, run);
  if (change) await failChange(change, causeText(error));
  else if (whole?.video.run === run) await failVideo(whole.video, causeText(error));
}

/** Moves the video and all that is not final in it to failed. `reason` is `CODE: sentence`. */
export async function failVideo(video: Pick<Video, 'ulid' | 'run'>, reason: string): Promise<void> {
  const { ulid, run } = video;
  const whole = await findWholeVideo(ulid);
  if (whole?.video.run !== run) return;
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
    ...[sourceRun, run].map((each) => cancelJobs(ulid, each)),
  ]);
  const warned = warnedOriginal(whole, await findJobs(ulid, run));
  const counted = countedOutcome(whole.video, 'failed');
  try {
    await transact([
      videoMove(video, 'failed', counted.mark),
      { delete: keys.working(video.ulid) },
      attemptsRetirement(video.ulid),
      ...counted.writes,
      ...(warned ? [{ update: keys.streams(ulid), set: { [`streams.${warned.ulid}.meta`]: warned.meta } }] : []),
    ]);
    noteVideoFailed(reason);
  } catch (error) {
    // Repeated, or deleted meanwhile: the state that this was to bring about is there.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  await passPlaceOn(whole.video);
}
