import { isFinal } from '../../contracts/statuses.ts';
import type { Output, Stream } from '../../table/records.ts';
import { findWholeVideo, moveStream } from '../../table/videos/video-table.ts';

/**
 * Ends the streams of an output that has completed or failed. A stream completes as soon as one output plays it. It
 * fails, with the error of this output, when the last output that needs it has failed.
 */
export async function settleStreams(videoUlid: string, outputUlid: string): Promise<void> {
  const whole = await findWholeVideo(videoUlid);
  const output = whole?.outputs.find(({ ulid }) => ulid === outputUlid);
  if (!whole || !output) return;
  const streams = whole.streams.filter(({ ulid, status }) => output.streams.includes(ulid) && !isFinal(status));
  // One after the other: they are one item, on which concurrent transactions conflict.
  for (const stream of streams) {
    if (isPlayed(stream, whole.outputs)) await moveStream(whole.video, stream.ulid, 'completed');
    else if (!isAwaited(stream, whole.outputs)) {
      await moveStream(whole.video, stream.ulid, 'failed', { errorLog: output.errorLog });
    }
  }
}

const isUsed = ({ ulid }: Stream, { streams }: Output): boolean => streams.includes(ulid);

/** Whether a completed output has the stream. */
export const isPlayed = (stream: Stream, outputs: readonly Output[]): boolean =>
  outputs.some((output) => isUsed(stream, output) && output.status === 'completed');

/** Whether an output that is not final yet needs the stream. */
export const isAwaited = (stream: Stream, outputs: readonly Output[]): boolean =>
  outputs.some((output) => isUsed(stream, output) && !isFinal(output.status));
