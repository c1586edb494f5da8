import { z } from 'zod';
import { day } from '../../shared/clock.ts';
import { StateError, stateErrors } from '../../shared/job-errors.ts';
import { videoPrefix } from '../../shared/object-keys.ts';
import { ConditionFailed, transact } from '../../shared/table/items.ts';
import { findJobs } from '../../shared/table/jobs.ts';
import { keys } from '../../shared/table/keys.ts';
import { findWholeVideo, videoMove, type WholeVideo } from '../../shared/table/videos.ts';
import { jobFolder } from '../jobs/files.ts';
import { deleteObjects } from '../store.ts';
import { failVideo } from './fail.ts';

const input = z.object({ videoUlid: z.string(), run: z.int() });

type Answer = { status: 'completed' } | { status: 'failed'; error: string; cause: string };

/** Decides how the video ended, from its outputs, and tidies up what no output refers to. */
export async function handler(raw: unknown): Promise<Answer> {
  const { videoUlid, run } = input.parse(raw);
  const whole = await findWholeVideo(videoUlid);
  if (whole?.video.run !== run) {
    throw new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
  }
  if (!whole.outputs.some(({ status }) => status === 'completed')) {
    const cause = whole.outputs[0]?.errorLog ?? 'OUTPUT_NO_STREAMS: The template has no output for this source.';
    await failVideo(whole.video, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  await complete(whole);
  return { status: 'completed' };
}

async function complete({ video }: WholeVideo): Promise<void> {
  const jobs = await findJobs(video.ulid, video.run);
  const done = jobs.filter(({ status }) => status === 'DONE');
  const folders = done.filter(({ kind }) => kind !== 'probe').map(jobFolder);
  // Attempts that were given up left files that nothing leads to.
  const runFolder = `${videoPrefix(video.ulid)}r${video.run}/`;
  await deleteObjects(runFolder, (key) => folders.some((folder) => key.startsWith(folder)));

  const thumbnails = done.find(({ kind }) => kind === 'thumbnails');
  const poster = (thumbnails?.result as { files: { file: string }[] } | undefined)?.files.find(({ file }) =>
    file.startsWith('poster.'),
  );
  const cpuMs = done.reduce((sum, { result }) => sum + Number((result as { cpuSeconds: number }).cpuSeconds) * 1000, 0);
  try {
    await transact([
      videoMove(video, 'completed', {
        set: { thumbnailPath: poster && thumbnails ? `${jobFolder(thumbnails)}${poster.file}` : null },
      }),
      { delete: keys.working(video.ulid) },
      { update: keys.analytics(day()), set: { kind: 'analytics' }, add: { completed: 1, cpuMs: Math.round(cpuMs) } },
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
