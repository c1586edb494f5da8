import * as z from 'zod';
import { day } from '../../shared/clock.ts';
import { stateErrors } from '../../shared/job-errors.ts';
import { outputPrefix, runPrefix } from '../../shared/object-keys.ts';
import type { Job, Stream, Video } from '../../shared/records.ts';
import { ConditionFailed, transact, type Write, write, writeBatch } from '../../shared/table/items.ts';
import { findJobs } from '../../shared/table/jobs.ts';
import { keys } from '../../shared/table/keys.ts';
import { videoMove, type WholeVideo } from '../../shared/table/videos.ts';
import { publishChange } from '../changes/end-change.ts';
import { passPlaceOn } from '../jobs/admission.ts';
import { changeIn, wholeVideoInRun } from '../jobs/current-run.ts';
import { jobFolder } from '../jobs/files.ts';
import { withEncodeWarnings } from '../jobs/source-warnings.ts';
import { deleteObjects } from '../store.ts';
import { failVideo } from './fail.ts';
import { noteCompleted } from './note-video.ts';

const input = z.object({ videoUlid: z.string(), run: z.int() });

export type Answer = { status: 'completed' } | { status: 'failed'; error: string; cause: string };

/** Decides how the video ended, from its outputs, and tidies up what no output refers to. */
export async function handler(raw: unknown): Promise<Answer> {
  const { videoUlid, run } = input.parse(raw);
  const whole = await wholeVideoInRun(videoUlid, run);
  const change = changeIn(whole, run);
  if (change) return publishChange(change);
  const ofThisRun = whole.outputs.filter((output) => output.run === run);
  if (!ofThisRun.some(({ status }) => status === 'completed')) {
    const cause = ofThisRun[0]?.errorLog ?? 'OUTPUT_NO_STREAMS: The template has no output for this source.';
    await failVideo(whole.video, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  await complete(whole);
  await retireEarlierRuns(whole);
  await passPlaceOn(whole.video);
  return { status: 'completed' };
}

async function complete({ video, streams }: WholeVideo): Promise<void> {
  const jobs = await findJobs(video.ulid, video.run);
  const done = jobs.filter(({ status }) => status === 'DONE');
  const folders = done.filter(({ kind }) => kind !== 'probe').map(jobFolder);
  // Attempts that were given up left files that nothing leads to.
  await deleteObjects(runPrefix(video.ulid, video.run), (key) => folders.some((folder) => key.startsWith(folder)));

  const thumbnails = done.find(({ kind }) => kind === 'thumbnails');
  const poster = (thumbnails?.result as { files: { file: string }[] } | undefined)?.files.find(({ file }) =>
    file.startsWith('poster.'),
  );
  try {
    await transact([
      videoMove(video, 'completed', {
        set: { thumbnailPath: poster && thumbnails ? `${jobFolder(thumbnails)}${poster.file}` : null },
      }),
      { delete: keys.working(video.ulid) },
      { update: keys.analytics(day()), set: { kind: 'analytics' }, add: { completed: 1 } },
      ...warningsWrite(video, streams, done),
    ]);
    noteCompleted(video, done);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Tells the uploader, in the original's `meta`, of damage that only decoding has shown. */
function warningsWrite({ ulid, run }: Video, streams: Stream[], done: Job[]): Write[] {
  const original = streams.find(({ type }) => type === 'original');
  const warnings = original && withEncodeWarnings(original, done);
  if (!original || !warnings) return [];
  const set = { [`streams.${original.ulid}.meta.warnings`]: warnings };
  return [{ update: keys.streams(ulid), set, when: { equals: { run } } }];
}

/** Outputs of earlier plans have played until now, when their successors do. Records go first: what viewers are given must be there. */
async function retireEarlierRuns({ video, outputs, streams }: WholeVideo): Promise<void> {
  const isRetired = ({ run }: { run: number }): boolean => run < video.run;
  const goneOutputs = outputs.filter(isRetired);
  const goneStreams = streams.filter((stream) => isRetired(stream) && stream.type !== 'original');
  if (goneOutputs.length > 0) {
    await write({ update: keys.outputs(video.ulid), remove: goneOutputs.map(({ ulid }) => `outputs.${ulid}`) });
  }
  if (goneStreams.length > 0) {
    await write({ update: keys.streams(video.ulid), remove: goneStreams.map(({ ulid }) => `streams.${ulid}`) });
  }
  await writeBatch([
    ...goneOutputs.map(({ ulid }) => ({ delete: keys.id('output', ulid) })),
    ...goneStreams.flatMap(({ id, ulid }) => [id, ulid].map((name) => ({ delete: keys.id('stream', name) }))),
  ]);
  const earlier = Array.from({ length: video.run - 1 }, (_, index) => runPrefix(video.ulid, index + 1));
  await Promise.all(
    [...earlier, ...goneOutputs.map(({ ulid }) => outputPrefix(video.ulid, ulid))].map((folder) =>
      deleteObjects(folder),
    ),
  );
}
