import * as z from 'zod';
import { finishedTracks, trackBytes } from '../packaging/finished-tracks.ts';
import type { PackagedTrack } from '../packaging/packaged-track.ts';
import { trackMeta } from '../packaging/track-meta.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { asStateError } from '../queue/report.ts';
import { startRebuild } from '../stream-edits/start-rebuild.ts';
import type { Output, Stream } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { moveOutput, moveStream, moveVideo, noteStream } from '../table/videos/video-table.ts';
import { editOfPlan, wholeVideoOfPlan } from './current-run.ts';
import { isAwaited } from './end-streams.ts';

const input = z.object({ videoUlid: z.string(), planNumber: z.int() });

/** All encodes have ended one way or the other: decides which outputs can still be made, and ends the streams that wait for none. */
export async function handler(raw: unknown): Promise<{ decision: 'package' | 'failed' }> {
  const { videoUlid, planNumber } = input.parse(raw);
  const whole = await wholeVideoOfPlan(videoUlid, planNumber);
  const change = editOfPlan(whole, planNumber);
  if (change) return { decision: await startRebuild(whole, change) };
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan).catch((error: unknown) => {
    throw asStateError(error);
  });
  const streams = whole.streams.filter((stream) => stream.planNumber === planNumber && stream.type !== 'original');
  const outputs = await Promise.all(
    whole.outputs
      .filter((output) => output.planNumber === planNumber)
      .map((output) => startOutput(videoUlid, output, streams, tracks)),
  );
  await Promise.all(
    streams.map(async (stream) => {
      const track = tracks.get(stream.track);
      if (!track || isFinal(stream.status)) return;
      // Nothing of it had to be encoded again, so no worker has shown that it is under way.
      await moveStream(videoUlid, stream.ulid, 'running');
      await noteStream(videoUlid, stream.ulid, { bytes: trackBytes(track), meta: trackMeta(track) });
      // Its outputs play already, or failed for want of another stream.
      if (!isAwaited(stream, outputs)) await moveStream(videoUlid, stream.ulid, 'completed');
    }),
  );
  if (outputs.every(({ status }) => status === 'failed')) return { decision: 'failed' };
  await moveVideo(whole.video, 'uploading');
  return { decision: 'package' };
}

type Tracks = Map<string, PackagedTrack>;

/** The output as it is to be packaged, or as it failed. */
async function startOutput(videoUlid: string, output: Output, streams: Stream[], tracks: Tracks): Promise<Output> {
  if (isFinal(output.status)) return output;
  const errorLog = lostBy(output, streams, tracks);
  const status = errorLog === undefined ? 'running' : 'failed';
  await moveOutput(videoUlid, output.ulid, status, errorLog === undefined ? {} : { errorLog });
  return { ...output, status };
}

/** Why an output cannot be made, or undefined when all its streams are encoded. */
function lostBy(output: Output, streams: Stream[], tracks: Tracks): string | undefined {
  const lost = streams.find(
    ({ ulid, status, track }) => output.streams.includes(ulid) && (status === 'failed' || !tracks.has(track)),
  );
  return lost && (lost.errorLog ?? `INTERNAL: The stream ${lost.name} was not encoded.`);
}
