import * as z from 'zod';
import type { Output, Stream } from '../../shared/records.ts';
import { isFinal } from '../../shared/statuses.ts';
import { ConditionFailed, write } from '../../shared/table/items.ts';
import { moveOutput, moveStream, videoMove } from '../../shared/table/videos.ts';
import { startRebuild } from '../changes/start-rebuild.ts';
import { changeIn, wholeVideoInRun } from '../jobs/current-run.ts';
import { finishedTracks, trackBytes } from '../jobs/tracks.ts';
import { readPlan } from '../plans.ts';

const input = z.object({ videoUlid: z.string(), run: z.int() });

/** All encodes have ended one way or the other: says of each stream how, and which outputs can still be made. */
export async function handler(raw: unknown): Promise<{ decision: 'package' | 'failed' }> {
  const { videoUlid, run } = input.parse(raw);
  const whole = await wholeVideoInRun(videoUlid, run);
  const change = changeIn(whole, run);
  if (change) return { decision: await startRebuild(whole, change) };
  const tracks = await finishedTracks(videoUlid, run, await readPlan(videoUlid, run));
  const streams = await Promise.all(
    whole.streams.map(async (stream): Promise<Stream> => {
      const track = tracks.get(stream.track);
      if (!track || isFinal(stream.status) || stream.run !== run) return stream;
      // Nothing of it had to be encoded again, so no worker has shown that it is under way.
      if (stream.status === 'pending') await moveStream(videoUlid, stream.ulid, 'running');
      await moveStream(videoUlid, stream.ulid, 'completed', { bytes: trackBytes(track) });
      return { ...stream, status: 'completed' };
    }),
  );
  const failed = await Promise.all(
    whole.outputs
      .filter((output) => output.run === run)
      .map(async (output) => {
        if (isFinal(output.status)) return output.status === 'failed';
        const reason = lostBy(output, streams);
        if (reason === undefined) {
          if (output.status === 'pending') await moveOutput(videoUlid, output.ulid, 'running');
          return false;
        }
        await moveOutput(videoUlid, output.ulid, 'failed', { errorLog: reason });
        return true;
      }),
  );
  if (failed.every(Boolean)) return { decision: 'failed' };
  try {
    await write(videoMove(whole.video, 'uploading'));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return { decision: 'package' };
}

/** Why an output cannot be made, or undefined when all its streams are there. */
function lostBy(output: Output, streams: Stream[]): string | undefined {
  const lost = streams.find(({ ulid, status }) => output.streams.includes(ulid) && status !== 'completed');
  return lost && (lost.errorLog ?? `INTERNAL: The stream ${lost.name} was not encoded.`);
}
