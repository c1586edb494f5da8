import { isFinal } from '../../contracts/statuses.ts';
import { endPlayback } from '../../early-playback/end-playback.ts';
import { finishedTracks, trackBytes } from '../../job-results/finished-tracks.ts';
import type { PackagedTrack } from '../../job-results/packaged-track.ts';
import { trackMeta } from '../../packaging/track-meta.ts';
import type { Plan } from '../../planning/encoding-plan.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import type { Output, Stream, Video } from '../../table/records.ts';
import {
  findWholeVideo,
  moveOutput,
  moveStream,
  moveVideo,
  recordStreamProperties,
  type WholeVideo,
} from '../../table/videos/video-table.ts';
import { recordPlanDecision } from './apply-decision.ts';
import { isAwaited } from './settle-streams.ts';

/**
 * Starts the outputs whose streams are all encoded, and fails the others. Streams without a pending output end here.
 */
export async function startOutputs(found: WholeVideo): Promise<'package' | 'failed'> {
  const { ulid: videoUlid, planNumber } = found.video;
  const plan = await readPlan(videoUlid, planNumber);
  const whole = await withDecision(found, plan);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  const streams = whole.streams.filter((stream) => stream.planNumber === planNumber && stream.type !== 'original');
  const planned = whole.outputs.filter((output) => output.planNumber === planNumber);
  // One after the other: they are one item, on which concurrent transactions conflict.
  const outputs: Output[] = [];
  for (const output of planned) outputs.push(await startOutput(whole.video, output, streams, tracks));
  for (const stream of streams) {
    const track = tracks.get(stream.track);
    if (!track || isFinal(stream.status)) continue;
    // Still pending when every job of it was done in an earlier execution: no worker has reported on it.
    await moveStream(whole.video, stream.ulid, 'running');
    await recordStreamProperties(videoUlid, stream.ulid, { bytes: trackBytes(track), meta: trackMeta(track) });
    // No pending output uses it: its outputs are completed, or failed for another stream.
    if (!isAwaited(stream, outputs)) await moveStream(whole.video, stream.ulid, 'completed');
  }
  if (outputs.every(({ status }) => status === 'failed')) return 'failed';
  await moveVideo(whole.video, 'uploading');
  return 'package';
}

/** The video with the decision of its measurement in its records. */
async function withDecision(whole: WholeVideo, plan: Plan): Promise<WholeVideo> {
  if (!plan.quality) return whole;
  await recordPlanDecision(whole, plan);
  return (await findWholeVideo(whole.video.ulid)) ?? whole;
}

type Tracks = ReadonlyMap<string, PackagedTrack>;

/** Moves an output to running, or to failed when a stream of it is missing. Returns the output with that status. */
async function startOutput(video: Video, output: Output, streams: Stream[], tracks: Tracks): Promise<Output> {
  if (isFinal(output.status)) return output;
  const errorLog = missingStreamError(output, streams, tracks);
  const status = errorLog === undefined ? 'running' : 'failed';
  if (status === 'failed') await endPlayback({ video, outputs: [output] });
  await moveOutput(video, output.ulid, status, errorLog === undefined ? {} : { errorLog });
  return { ...output, status };
}

/** Why an output cannot be made; undefined when all of its streams are encoded. */
function missingStreamError(output: Output, streams: Stream[], tracks: Tracks): string | undefined {
  const missing = streams.find(
    ({ ulid, status, track }) => output.streams.includes(ulid) && (status === 'failed' || !tracks.has(track)),
  );
  return missing && (missing.errorLog ?? `INTERNAL: The stream ${missing.name} was not encoded.`);
}
