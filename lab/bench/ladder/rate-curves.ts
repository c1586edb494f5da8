import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';

/** Shares of the bitrate of the table, and constant qualities, that give a curve from poor to good quality. */
const bitrateShares = [0.3, 0.55, 1, 1.8];
/** Distances from the default of the codec, in steps of the scale of H.264. */
const qualitySteps = [-3, 1, 5, 9];

/** Encodes are compared in this size, which is quick. */
const mostPixels = 640 * 360;

/** The largest rung of at most 360p, or else the smallest. */
export function curveRung({ groups }: Plan): string {
  const bySize = groups.flatMap(({ rungs }) => rungs).toSorted((a, b) => a.width * a.height - b.width * b.height);
  return (bySize.findLast(({ width, height }) => width * height <= mostPixels) ?? bySize[0]!).name;
}

/** The rung with several average bitrates. Maximum and buffer are in proportion. */
export const averageCurve = (rung: Rung): Rung[] =>
  bitrateShares.map((share, n) => {
    const { bitrateBps, maxBitrateBps, bufferBits, ...rate } = rateOf(rung);
    const [average, maximum, buffer] = [bitrateBps, maxBitrateBps, bufferBits].map((bits) => Math.round(bits * share));
    return {
      ...rung,
      name: `${rung.name}-${n}`,
      rate: { ...rate, bitrateBps: average!, maxBitrateBps: maximum!, bufferBits: buffer! },
    };
  });

/** The rung with several constant qualities, of which none is limited by a maximum. */
export const constantCurve = (rung: Rung): Rung[] =>
  qualitySteps.map((step) => {
    const scale = videoCodecProperties[rung.codec].crf;
    const crf = scale.default + Math.round((step * scale.max) / 51);
    return {
      ...rung,
      name: `${rung.name}-crf${crf}`,
      rate: { mode: 'crf', crf, maxBitrateBps: null, bufferBits: null },
    };
  });

/** The rung with a constant quality and the peaks of its average bitrate. */
export function withQuality(rung: Rung, crf: number): Rung {
  const { maxBitrateBps, bufferBits } = rateOf(rung);
  return { ...rung, rate: { mode: 'crf', crf, maxBitrateBps, bufferBits } };
}

function rateOf({ rate }: Rung): Extract<Rung['rate'], { mode: 'bitrate' }> {
  if (rate.mode !== 'bitrate') throw new Error('The rung has no average bitrate');
  return rate;
}
