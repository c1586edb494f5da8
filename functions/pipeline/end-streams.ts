import type { Output, Stream } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findWholeVideo, moveStream } from '../table/videos/video-table.ts';

/**
 * Ends the streams of an output that was packaged, or that could not be. A stream is completed as soon as one output plays it. It is failed when the
 * last output that needs it has failed, with the reason of this output.
 */
export async function endStreams(videoUlid: string, outputUlid: string): Promise<void> {
  const whole = await findWholeVideo(videoUlid);
  const output = whole?.outputs.find(({ ulid }) => ulid === outputUlid);
  if (!whole || !output) return;
  const streams = whole.streams.filter(({ ulid, status }) => output.streams.includes(ulid) && !isFinal(status));
  await Promise.all(
    streams.map(async (stream) => {
      if (isPlayed(stream, whole.outputs)) await moveStream(videoUlid, stream.ulid, 'completed');
      else if (!isAwaited(stream, whole.outputs)) {
        await moveStream(videoUlid, stream.ulid, 'failed', { errorLog: output.errorLog });
      }
    }),
  );
}

const isUsed = ({ ulid }: Stream, { streams }: Output): boolean => streams.includes(ulid);

/** Whether an output plays the stream. */
export const isPlayed = (stream: Stream, outputs: readonly Output[]): boolean =>
  outputs.some((output) => isUsed(stream, output) && output.status === 'completed');

/** Whether an output is still to be made of the stream. */
export const isAwaited = (stream: Stream, outputs: readonly Output[]): boolean =>
  outputs.some((output) => isUsed(stream, output) && !isFinal(output.status));
