import * as z from 'zod';
import { outputPrefix, runPrefix } from '../../shared/object-keys.ts';
import { stateErrors } from '../../shared/protocol/job-errors.ts';
import { releaseSlot } from '../admission/admission.ts';
import { deleteObjects } from '../aws/object-store.ts';
import { warnedOriginal } from '../packaging/source-warnings.ts';
import { jobFolder } from '../queue/job-files.ts';
import { isOfKind, resultOf } from '../queue/job-results.ts';
import { publishStreamEdit } from '../stream-edits/end-stream-edit.ts';
import { findJobs } from '../table/queue/job-table.ts';
import type { Job, Video } from '../table/records.ts';
import { deletePartIds, finishVideo, replacedParts } from '../table/videos/finish-video.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { editOfPlan, wholeVideoOfPlan } from './current-run.ts';
import { failVideo } from './fail.ts';
import { noteCompleted } from './note-video.ts';

const input = z.object({ videoUlid: z.string(), planNumber: z.int() });

export type Answer = { status: 'completed' } | { status: 'failed'; error: string; cause: string };

/** Decides how the video ended, from its outputs, and removes what it has replaced. */
export async function handler(raw: unknown): Promise<Answer> {
  const { videoUlid, planNumber } = input.parse(raw);
  const whole = await wholeVideoOfPlan(videoUlid, planNumber);
  const change = editOfPlan(whole, planNumber);
  if (change) return publishStreamEdit(change);
  const ofThisRun = whole.outputs.filter((output) => output.planNumber === planNumber);
  if (!ofThisRun.some(({ status }) => status === 'completed')) {
    const cause = ofThisRun[0]?.errorLog ?? 'OUTPUT_NO_STREAMS: The template has no output for this source.';
    await failVideo(whole.video, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  await complete(whole);
  await removeEarlierRuns(whole);
  await releaseSlot(whole.video);
  return { status: 'completed' };
}

/** Shows the video as completed, and in the same moment no more of what earlier plans made and has played until now. */
async function complete(whole: WholeVideo): Promise<void> {
  const { video } = whole;
  const jobs = await findJobs(video.ulid, video.planNumber);
  const done = jobs.filter(({ status }) => status === 'DONE');
  const thumbnails = await thumbnailPaths(done);
  const original = warnedOriginal(whole, done);
  if (await finishVideo(whole, { status: 'completed', thumbnails, original })) noteCompleted(video, done);
}

/** The keys of the poster and of the storyboard, where they were made. */
async function thumbnailPaths(done: Job[]): Promise<Pick<Video, 'thumbnailPath' | 'storyboardPath'>> {
  const job = done.find((one) => isOfKind(one, 'thumbnails'));
  const { files = [] } = job ? await resultOf(job) : {};
  const keyOf = (name: RegExp): string | null => {
    const found = files.find(({ file }) => name.test(file));
    return job && found ? `${jobFolder(job)}${found.file}` : null;
  };
  return { thumbnailPath: keyOf(/^poster\./), storyboardPath: keyOf(/^sprite\.vtt$/) };
}

/** Ids and files of what earlier plans made, once no record shows it. */
async function removeEarlierRuns(whole: WholeVideo): Promise<void> {
  const { ulid, planNumber } = whole.video;
  const { outputs, streams } = replacedParts(whole);
  await deletePartIds({ outputs, streams });
  const runs = Array.from({ length: planNumber - 1 }, (_, index) => runPrefix(ulid, index + 1));
  const folders = [...runs, ...outputs.map((output) => outputPrefix(ulid, output.ulid))];
  await Promise.all(folders.map((folder) => deleteObjects(folder)));
}
