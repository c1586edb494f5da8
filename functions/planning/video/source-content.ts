import { toNumber } from '../../../shared/media/rational.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';

/** A part of a source, and how the CPU time of its encodes compares with the estimate. */
export type Stretch = { seconds: number; contentFactor: number };

/** What the duration of encodes depends on besides the rungs. Pixels are those of a frame. */
export type SourceContent = { pixels: number; stretches: Stretch[] };

const stretchSeconds = 10;

/**
 * Content with much detail and motion has many bits in the source, and takes long to encode. Of 40 sources, the
 * automatic ladder took 0.3 to 1.3 times the estimate with less than 0.06 bits per pixel, 0.7 to 1.9 times with 0.12 to
 * 0.2, and up to 2.8 times with more. The factor is above these, except for one of waves, which took 2.7 times the
 * estimate with 0.1 bits per pixel. A factor that is too low makes viewers wait; one that is too high costs CPU time.
 */
const contentFactor = (bitsPerPixel: number): number => Math.min(2.8, 1.1 + 6 * bitsPerPixel);
/** A factor for sources whose bits are not known. */
const usualFactor = 1.8;

/** Their encoders need fewer bits for the same content. The others are taken for H.264. */
const efficientCodecs = new Set(['hevc', 'vp9', 'av1']);
const efficiency = 2;

/** The content of a source, from the times and sizes of its frames. */
export function sourceContent(
  { width, height, timeBase, codec }: Pick<VideoTrack, 'width' | 'height' | 'timeBase' | 'codec'>,
  { ptsDeltas, endByteDeltas }: FrameIndex,
): SourceContent {
  const pixels = width * height;
  const bitsPerByte = 8 * (efficientCodecs.has(codec) ? efficiency : 1);
  const secondsPerTick = toNumber(timeBase);
  const stretches: Stretch[] = [];
  let sum = { seconds: 0, frames: 0, bytes: 0 };
  // The first delta of each list is a position.
  for (let frame = 1; frame < ptsDeltas.length; frame++) {
    sum.seconds += ptsDeltas[frame]! * secondsPerTick;
    sum.bytes += endByteDeltas[frame] ?? 0;
    sum.frames++;
    if (sum.seconds < stretchSeconds && frame < ptsDeltas.length - 1) continue;
    const bitsPerPixel = (sum.bytes * bitsPerByte) / (sum.frames * pixels);
    stretches.push({ seconds: sum.seconds, contentFactor: contentFactor(bitsPerPixel) });
    sum = { seconds: 0, frames: 0, bytes: 0 };
  }
  return { pixels, stretches };
}

/** The content of a source whose frames are not known. */
export const unknownContent = ({ width, height }: { width: number; height: number }): SourceContent => ({
  pixels: width * height,
  stretches: [{ seconds: stretchSeconds, contentFactor: usualFactor }],
});
