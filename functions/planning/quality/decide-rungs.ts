import { type VideoCodec, videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { JobResult } from '../../../shared/protocol/jobs.ts';
import type { PlannedQuality } from '../encoding-plan.ts';
import { type MeasuredRung, type RungCurves, rateModel } from './rate-model.ts';
import { sampleTargetDb } from './target.ts';

/** What a measurement changes in a plan, by the names of tracks. Other tracks are encoded as planned. */
export type QualityDecision = {
  crf: Record<string, number>;
  /** tracks that are not encoded, each with one sentence for the uploader */
  leftOut: Record<string, string>;
};

export const nothingDecided: QualityDecision = { crf: {}, leftOut: {} };

/** How far the quality may be from the default of the codec: steps of CRF that change the bitrate by about 2.6. */
const furthestSteps: Record<VideoCodec, number> = { h264: 8, hevc: 8, vp9: 12, av1: 16 };
/** How many times as far it may be, where a better one would exceed the bitrate of the ladder. */
const furthestOverCap = 3;
/**
 * Whole steps of CRF are coarse, 12 % of the bitrate each. Without a tolerance, rungs would stay 6 % below their
 * maximum; with quarter steps it is a quarter.
 */
const capTolerance = (crfStep: number): number => 1 + 0.05 * crfStep;
/**
 * What the logarithm of the bitrate loses over the furthest steps: 1 in most pictures. Grain and noise lose more at
 * once, at a quality that two measurements do not show. A rung of these stays a step below its maximum, which costs
 * hardly any XPSNR.
 */
const steepFactor = 1.4;
/** The share of the bitrate of a rung at which the next smaller one helps no player; that of the ladder is the same. */
const maxStepRatio = 0.8;
/** Every viewer has this bitrate, the smallest of the table: a rung that needs less makes smaller ones useless. */
const sufficientBps = 150_000;

/**
 * The CRF of each rung: the one with which it has the target quality, or its maximum bitrate if that is reached first.
 * Rungs are left out, if they need nearly as much bitrate as the next larger one, or if a larger one suffices for
 * everyone.
 * @param kept tracks that cannot be left out
 */
export function decideRungs(
  quality: PlannedQuality,
  { points, crfStep = 1 }: Measured,
  kept: ReadonlySet<string>,
): QualityDecision {
  const model = rateModel(quality, points);
  if (!model) return nothingDecided;
  const chosen = quality.rungs.map((rung) => ({ rung, ...chooseCrf({ quality, rung, crfStep }, model(rung)) }));
  const decision: QualityDecision = { crf: {}, leftOut: {} };
  let above: (typeof chosen)[number] | undefined;
  for (const one of chosen) {
    const reason = above && reasonToLeaveOut(one, above);
    const isKept = one.rung.tracks.some((track) => kept.has(track));
    for (const track of one.rung.tracks) {
      if (reason && !isKept) decision.leftOut[track] = reason;
      else decision.crf[track] = one.crf;
    }
    if (!reason) above = one;
  }
  return decision;
}

type Measured = Pick<JobResult<'quality'>, 'points' | 'crfStep'>;
type Choice = { crf: number; bitrateBps: number };
type Chosen = Choice & { rung: MeasuredRung };

function reasonToLeaveOut({ rung, bitrateBps }: Chosen, above: Chosen): string | undefined {
  if (above.bitrateBps <= sufficientBps) {
    return `${rung.name} is left out: ${above.rung.name} needs only ${kilobits(above.bitrateBps)} kbit/s for this video.`;
  }
  if (bitrateBps <= maxStepRatio * above.bitrateBps) return undefined;
  return `${rung.name} is left out: it would need nearly the bitrate of ${above.rung.name} for this video.`;
}

const kilobits = (bitrateBps: number): number => Math.round(bitrateBps / 1000);

/** What a rung that cannot have the target may lose of the quality that its maximum bitrate would give. */
const toleratedDb = 0.3;

function chooseCrf(
  { quality, rung, crfStep }: { quality: PlannedQuality; rung: MeasuredRung; crfStep: number },
  { xpsnrDb, logBitrate }: RungCurves,
): Choice {
  const { codec } = quality.spec.trials[0]!.rung;
  const scale = videoCodecProperties[codec].crf;
  const furthest = furthestSteps[codec];
  const range = (from: number, to: number): number[] =>
    Array.from({ length: (to - from) / crfStep + 1 }, (_, n) => from + n * crfStep);
  const coarsest = Math.min(scale.max, scale.default + furthestOverCap * furthest);
  const allowed = range(scale.default - furthest, coarsest);
  const fitsCap = (crf: number): boolean => {
    const isSteep = (logBitrate(crf - 1) - logBitrate(crf)) * furthest > steepFactor;
    return isSteep
      ? logBitrate(crf - 1) <= Math.log(rung.capBps)
      : logBitrate(crf) <= Math.log(capTolerance(crfStep) * rung.capBps);
  };
  const finest = allowed.find(fitsCap) ?? coarsest;
  const last = (to: number, isGood: (crf: number) => boolean): number | undefined =>
    range(finest, Math.max(finest, to)).findLast(isGood);
  const crf =
    last(scale.default + furthest, (crf) => xpsnrDb(crf) >= sampleTargetDb(rung)) ??
    // In grain, many steps can change XPSNR by less than is tolerated. Half of them, since it is not all that is seen.
    last(scale.default + Math.round(furthest / 2), (crf) => xpsnrDb(crf) >= xpsnrDb(finest) - toleratedDb) ??
    finest;
  return { crf, bitrateBps: Math.min(rung.capBps, Math.exp(logBitrate(crf))) };
}
