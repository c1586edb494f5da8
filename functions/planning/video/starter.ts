import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Variant } from '../stream-variants.ts';
import { frameSize, type PlannedRung } from './rungs.ts';

/** The rung that is encoded first and plays by itself while the others are encoded. */
export type Starter = {
  rung: string;
  /** how much of it is encoded before anything else, if that is more than the first segments */
  aheadSeconds?: number;
};

/**
 * How far the starter is encoded ahead when the early worker is the only one. A Fargate task takes about a minute to
 * run, sometimes longer, and then encodes all rungs at less than the speed of playback. The early worker takes a
 * quarter of a minute for these two.
 */
export const coldStartSeconds = 120;

/** 640x360 in any orientation: six seconds of it are encoded in less than two on two cores. */
const maxStarterPixels = 640 * 360;

/**
 * The starter of the first HLS output with fMP4 segments and video: its largest rung of at most 360p, else its smallest
 * one. Null without such an output: the others play only when they are complete.
 */
export function chooseStarter(
  outputs: { format: string; container: string; video: string[]; error: string | null }[],
  variants: Variant<PlannedRung>[],
): Starter | null {
  const output = outputs.find(
    ({ format, container, video, error }) =>
      format === 'hls' && container === 'fmp4' && video.length > 0 && error === null,
  );
  if (!output) return null;
  const smallestFirst = variants
    .filter(({ name }) => output.video.includes(name))
    .toSorted((a, b) => pixelsOf(a) - pixelsOf(b) || cost(b) - cost(a));
  const starter = smallestFirst.findLast((variant) => pixelsOf(variant) <= maxStarterPixels) ?? smallestFirst[0];
  return starter ? { rung: starter.name } : null;
}

function pixelsOf({ item }: Variant<PlannedRung>): number {
  const { width, height } = frameSize(item.rung);
  return width * height;
}

/** Of rungs of the same size, the one that is encoded fastest. */
const cost = ({ item }: Variant<PlannedRung>): number => videoCodecProperties[item.rung.codec].cpuSecondsPerMegapixel;
