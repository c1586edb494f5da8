import { runPrefix } from '../../shared/object-keys.ts';
import { stateErrors } from '../../shared/protocol/job-errors.ts';
import { startStreamEditExecution } from '../aws/executions.ts';
import { log } from '../common/log.ts';
import { warnedOriginal } from '../packaging/source-warnings.ts';
import { cancelJobs } from '../queue/cancel-jobs.ts';
import type { Write } from '../table/items/items.ts';
import { findJobs } from '../table/queue/job-table.ts';
import type { Output, Stream, StreamEdit } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { attemptsRetirement, retirement } from '../table/videos/retired-files.ts';
import { endStreamEdit, streamsPut } from '../table/videos/stream-edit-table.ts';
import { findWholeVideo, moveOutput, type WholeVideo } from '../table/videos/video-table.ts';
import { madeStream } from './encoded-stream.ts';
import { outputsOf } from './plan-edit.ts';

type Answer = { status: 'completed' } | { status: 'failed'; error: string; cause: string };

/** Ends a change whose outputs are rebuilt, as far as they could be, and begins the next. */
export async function publishStreamEdit(change: StreamEdit): Promise<Answer> {
  const whole = await findWholeVideo(change.videoUlid);
  if (!whole) return { status: 'completed' };
  const cause = failure(whole, change);
  if (cause !== undefined) {
    await failStreamEdit(change, cause);
    return { status: 'failed', error: stateErrors.jobFatal, cause };
  }
  await complete(change);
  return { status: 'completed' };
}

async function complete(change: StreamEdit): Promise<void> {
  const made = change.action === 'encode' ? await madeStream(change) : undefined;
  await end(change, (current) => {
    const { replaced, videoUlid, planNumber, streamUlid } = change;
    const stream = current.streams.find(({ ulid }) => ulid === streamUlid);
    const everywhere = outputsOf(current, change).every(({ builtByPlan }) => builtByPlan === planNumber);
    const streams: Stream[] = stream && made ? [{ ...stream, ...made, status: 'completed', errorLog: null }] : [];
    const gone =
      replaced && everywhere ? [{ prefix: runPrefix(videoUlid, replaced.planNumber), track: replaced.track }] : [];
    return { streams, writes: [...gone.map(retirement), attemptsRetirement(videoUlid)] };
  });
}

/** Why no output plays what a change made; undefined when one does, or none was to be rebuilt. */
function failure(whole: WholeVideo, change: StreamEdit): string | undefined {
  const outputs = outputsOf(whole, change);
  if (change.outputs.length === 0 || outputs.some((output) => playsChange(output, change))) return undefined;
  const stream = whole.streams.find(({ ulid }) => ulid === change.streamUlid);
  return stream?.errorLog ?? outputs[0]?.errorLog ?? 'INTERNAL: The outputs could not be rebuilt.';
}

const playsChange = ({ builtByPlan, status }: Output, { planNumber }: StreamEdit): boolean =>
  builtByPlan === planNumber && status === 'completed';

/** Ends a change that came to nothing: what played goes on playing. `reason` is `CODE: sentence`. */
export async function failStreamEdit(change: StreamEdit, reason: string): Promise<void> {
  const { videoUlid, planNumber, streamUlid } = change;
  log.warn('stream change failed', { video: videoUlid, planNumber, stream: streamUlid, reason });
  await cancelJobs(videoUlid, planNumber);
  const whole = await findWholeVideo(videoUlid);
  if (!whole) return;
  // What plays already cannot be taken back: the change ends as one that succeeded there.
  if (outputsOf(whole, change).some((output) => playsChange(output, change))) return complete(change);
  for (const output of outputsOf(whole, change)) {
    if (!isFinal(output.status)) await moveOutput(videoUlid, output.ulid, 'failed', { errorLog: reason });
  }
  await end(change, (current) => {
    const stream = current.streams.find(({ ulid }) => ulid === streamUlid);
    return {
      streams: stream && change.action === 'encode' ? [asBefore(stream, change, reason)] : [],
      writes: [retirement({ prefix: runPrefix(videoUlid, planNumber) })],
    };
  });
}

/** A failed stream with the track that its outputs go on to play, and how that was encoded. */
const asBefore = (stream: Stream, { replaced }: StreamEdit, reason: string): Stream => ({
  ...stream,
  ...replaced,
  inputParams: replaced?.inputParams ?? stream.inputParams,
  status: 'failed',
  errorLog: stream.errorLog ?? reason,
});

/** Ends a change with what becomes of the video's streams, and what else is to be written in the same moment. */
async function end(
  change: StreamEdit,
  ending: (whole: WholeVideo) => { streams: Stream[]; writes: Write[] },
): Promise<void> {
  const { videoUlid, planNumber } = change;
  const jobs = await findJobs(videoUlid, planNumber);
  const next = await endStreamEdit(change, (current) => {
    const { streams, writes } = ending(current);
    const warned = warnedOriginal(current, jobs);
    const changed = warned ? [...streams, warned] : streams;
    return changed.length > 0 ? [streamsPut(videoUlid, changed), ...writes] : writes;
  });
  if (next !== undefined) await startStreamEditExecution(change.videoUlid, next);
}
