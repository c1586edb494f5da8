import { type Rational, rational, toNumber } from '../../shared/rational.ts';

/** Rates that cameras and encoders mean, whatever a container with coarse ticks makes of them. */
const standardRates: Rational[] = [
  ...[5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 90, 100, 120, 240].map((fps) => rational(fps, 1)),
  ...[12_000, 15_000, 24_000, 30_000, 48_000, 60_000, 120_000].map((num) => rational(num, 1001)),
  rational(25, 2),
];

export type FrameRate = { averageFrameRate: Rational; constantFrameRate: boolean };

/**
 * Average rate of frames at `pts` (ascending, in ticks) of which the last is shown until `endPts`. A standard rate is taken when every
 * frame stands where that rate puts it but for the rounding of the ticks; otherwise the exact fraction, clamped to 1..240.
 */
export function measureFrameRate(pts: number[], endPts: number, timeBase: Rational): FrameRate {
  const standard = nearestStandardRate(pts, endPts, timeBase);
  const averageFrameRate = standard ?? clamp(exactRate(pts.length, endPts - pts[0]!, timeBase));
  const frameTicks = toNumber({ num: averageFrameRate.den, den: averageFrameRate.num }) / toNumber(timeBase);
  return { averageFrameRate, constantFrameRate: largestDeviation(pts, frameTicks) <= frameTicks / 2 };
}

function nearestStandardRate(pts: number[], endPts: number, timeBase: Rational): Rational | undefined {
  // a rounded start and a rounded frame are together off by less than a tick; some muxers add up rounded durations
  const toleranceTicks = 1.5;
  const secondsToTicks = timeBase.den / timeBase.num;
  let best: { rate: Rational; deviation: number } | undefined;
  for (const rate of standardRates) {
    const frameTicks = (secondsToTicks * rate.den) / rate.num;
    // one frame alone has its duration to go by
    const deviation = Math.max(
      largestDeviation(pts, frameTicks),
      pts.length === 1 ? Math.abs(endPts - pts[0]! - frameTicks) : 0,
    );
    if (deviation <= toleranceTicks && deviation < (best?.deviation ?? Number.POSITIVE_INFINITY))
      best = { rate, deviation };
  }
  return best?.rate;
}

function largestDeviation(pts: number[], frameTicks: number): number {
  let largest = 0;
  for (let n = 0; n < pts.length; n++) largest = Math.max(largest, Math.abs(pts[n]! - pts[0]! - n * frameTicks));
  return largest;
}

const exactRate = (frames: number, spanTicks: number, timeBase: Rational): Rational =>
  spanTicks > 0 ? rational(frames * timeBase.den, spanTicks * timeBase.num) : rational(25, 1);

function clamp(rate: Rational): Rational {
  if (toNumber(rate) < 1) return rational(1, 1);
  if (toNumber(rate) > 240) return rational(240, 1);
  return rate;
}
