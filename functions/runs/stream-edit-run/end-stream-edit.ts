import { runPrefix } from '../../../shared/object-keys.ts';
import { stateErrors } from '../../../shared/protocol/job-errors.ts';
import { startStreamEditExecution } from '../../aws/executions.ts';
import { log } from '../../common/log.ts';
import { isFinal } from '../../contracts/statuses.ts';
import { finishedTracks, requireTrack, trackBytes } from '../../job-results/finished-tracks.ts';
import { jobFolder } from '../../job-results/job-files.ts';
import { resultOf } from '../../job-results/job-results.ts';
import { progressiveOutput } from '../../packaging/output-contents.ts';
import { originalWithWarnings } from '../../packaging/source-warnings.ts';
import { fileMeta, trackMeta } from '../../packaging/track-meta.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import { thumbnailsJobId } from '../../table/job-id.ts';
import { cancelJobs } from '../../table/jobs/job-endings.ts';
import { findJob, findJobs } from '../../table/jobs/job-table.ts';
import type { Stream, StreamEdit, Video } from '../../table/records.ts';
import { endStreamEdit, type StreamEditEnding } from '../../table/stream-edits/stream-edit-table.ts';
import { isBuiltByPlan } from '../../table/videos/run.ts';
import { findWholeVideo, moveOutput, type WholeVideo } from '../../table/videos/video-table.ts';
import { countStored } from '../../table/views/count-stored.ts';
import type { PublishResult } from '../run-operations.ts';
import { outputsOfEdit } from './plan-edit.ts';

/** Ends an edit whose outputs are rebuilt or failed, and starts the next edit of the video. */
export async function publishStreamEdit(whole: WholeVideo, edit: StreamEdit): Promise<PublishResult> {
  if (edit.action === 'poster') return publishPoster(whole.video, edit);
  const cause = failureCause(whole, edit);
  if (cause !== undefined) {
    await failStreamEdit(edit, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  await completeStreamEdit(edit);
  return { status: 'completed' };
}

/** The poster that its job has made becomes that of the video. Without one, the video keeps what it has. */
async function publishPoster(video: Video, edit: StreamEdit): Promise<PublishResult> {
  const job = await findJob(thumbnailsJobId(video, edit.planNumber));
  const file = job?.status === 'DONE' ? (await resultOf(job)).files[0]?.file : undefined;
  if (!job || file === undefined) {
    const cause = job?.error ? `${job.error.code}: ${job.error.message}` : 'INTERNAL: The poster could not be made.';
    await failStreamEdit(edit, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  // An earlier poster is removed with the files of unused attempts.
  await endWith(edit, () => ({ thumbnailPath: `${jobFolder(job)}${file}`, retired: [], retireAttempts: true }));
  return { status: 'completed' };
}

async function completeStreamEdit(edit: StreamEdit): Promise<void> {
  const encoded = edit.action === 'encode' ? await encodedStream(edit) : undefined;
  await endWith(edit, (current) => {
    const { replaced, videoUlid, planNumber, streamUlid } = edit;
    const stream = current.streams.find(({ ulid }) => ulid === streamUlid);
    // An output that could not be rebuilt still plays the replaced track.
    const isUnused = outputsOfEdit(current, edit).every(({ builtByPlan }) => builtByPlan === planNumber);
    const unused =
      replaced && isUnused ? [{ prefix: runPrefix(videoUlid, replaced.planNumber), track: replaced.track }] : [];
    return {
      stream: stream && encoded && { ulid: stream.ulid, status: 'completed', changes: { ...encoded, errorLog: null } },
      retired: unused,
      retireAttempts: true,
    };
  });
}

/** Why no output plays the edit; undefined when at least one does, or when there was none to rebuild. */
function failureCause(whole: WholeVideo, edit: StreamEdit): string | undefined {
  const outputs = outputsOfEdit(whole, edit);
  if (edit.outputs.length === 0 || outputs.some((output) => isBuiltByPlan(output, edit.planNumber))) return undefined;
  const stream = whole.streams.find(({ ulid }) => ulid === edit.streamUlid);
  return stream?.errorLog ?? outputs[0]?.errorLog ?? 'INTERNAL: The outputs could not be rebuilt.';
}

/** Ends an edit that failed: outputs keep the files that they have. `reason` is `CODE: sentence`. */
export async function failStreamEdit(edit: StreamEdit, reason: string): Promise<void> {
  const { videoUlid, planNumber, streamUlid } = edit;
  log.warn('stream edit failed', { video: videoUlid, planNumber, stream: streamUlid, reason });
  await cancelJobs(videoUlid, planNumber);
  const whole = await findWholeVideo(videoUlid);
  if (!whole) return;
  // One output was swapped already, and that cannot be undone: the edit has succeeded there.
  if (outputsOfEdit(whole, edit).some((output) => isBuiltByPlan(output, planNumber))) return completeStreamEdit(edit);
  for (const output of outputsOfEdit(whole, edit)) {
    if (!isFinal(output.status)) await moveOutput(whole.video, output.ulid, 'failed', { errorLog: reason });
  }
  await endWith(edit, (current) => {
    const stream = current.streams.find(({ ulid }) => ulid === streamUlid);
    return {
      stream: stream && edit.action === 'encode' ? failedStream(stream, edit, reason) : undefined,
      retired: [{ prefix: runPrefix(videoUlid, planNumber) }],
      retireAttempts: false,
    };
  });
}

/** The failed stream, with the track that its outputs still play and the parameters of that track. */
const failedStream = (stream: Stream, { replaced }: StreamEdit, reason: string): StreamEditEnding['stream'] => ({
  ulid: stream.ulid,
  status: 'failed',
  changes: {
    ...replaced,
    inputParams: replaced?.inputParams ?? stream.inputParams,
    errorLog: stream.errorLog ?? reason,
  },
});

/** Ends an edit in the table and starts the next edit of the video. */
async function endWith(
  edit: StreamEdit,
  endingOf: (whole: WholeVideo) => Omit<StreamEditEnding, 'original'>,
): Promise<void> {
  const { videoUlid, planNumber } = edit;
  const jobs = await findJobs(videoUlid, planNumber);
  const next = await endStreamEdit(edit, (current) => ({
    ...endingOf(current),
    original: originalWithWarnings(current, jobs),
  }));
  await countStored(videoUlid);
  if (next !== undefined) await startStreamEditExecution(videoUlid, next);
}

/** The fields of a stream record that follow from the track or file that an edit has encoded. */
async function encodedStream({ videoUlid, planNumber, type }: StreamEdit): Promise<Partial<Stream>> {
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  const track = requireTrack(tracks, plan.streams[0]?.name);
  const { width = null, height = null } = track;
  if (type !== 'muxed') {
    const { language = null, channels = null } = track;
    return { width, height, language, channels, bytes: trackBytes(track), meta: trackMeta(track) };
  }
  const file = await progressiveOutput({ videoUlid, planNumber, group: 0 });
  const [audioName] = plan.outputs[0]?.audio ?? [];
  const audio = audioName === undefined ? undefined : requireTrack(tracks, audioName);
  const { language = null, channels = null } = audio ?? {};
  return { width, height, language, channels, bytes: file.bytes, meta: fileMeta(file, { video: track, audio }) };
}
