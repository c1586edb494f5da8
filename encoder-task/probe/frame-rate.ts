import { type Rational, rational, toNumber } from '../../shared/media/rational.ts';

/** Rates that cameras and encoders mean, whatever a container with coarse ticks makes of them. */
const standardRates: Rational[] = [
  ...[5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 90, 100, 120, 240].map((fps) => rational(fps, 1)),
  ...[12_000, 15_000, 24_000, 30_000, 48_000, 60_000, 120_000].map((num) => rational(num, 1001)),
  rational(25, 2),
];

/** Ascending. */
type Ticks = ArrayLike<number>;

export type FrameRate = { averageFrameRate: Rational; constantFrameRate: boolean };

// a rounded start and a rounded frame are together off by less than a tick; some muxers add up rounded durations
const toleranceTicks = 1.5;
const shareOfEvenSteps = 0.9;

/**
 * Rate of frames at `pts` (ascending, in ticks) of which the last is shown until `endPts`: a standard rate when every frame stands where
 * that rate puts it but for the rounding of the ticks, or when nearly every step is that long, as in captures that drop frames; otherwise
 * the exact average, or one frame a tick where the container counts frames (`ticksAreFrames`). Within 1..240.
 */
export function measureFrameRate(pts: Ticks, endPts: number, timeBase: Rational, ticksAreFrames = false): FrameRate {
  const averageFrameRate =
    closestRate(timeBase, (frameTicks) => deviationOfFrames(pts, endPts, frameTicks)) ??
    (ticksAreFrames
      ? clamp(rational(timeBase.den, timeBase.num))
      : (closestRate(timeBase, (frameTicks) => deviationOfSteps(pts, frameTicks)) ??
        clamp(exactRate(pts.length, endPts - pts[0]!, timeBase))));
  const frameTicks = ticksOfFrame(averageFrameRate, timeBase);
  // one picture that lasts longer than a frame has to be repeated
  const isHeld = pts.length === 1 && endPts - pts[0]! > frameTicks * 1.5;
  return { averageFrameRate, constantFrameRate: !isHeld && largestDeviation(pts, frameTicks) <= frameTicks / 2 };
}

/** The standard rate that `deviation` finds nearest, if it finds any. */
function closestRate(timeBase: Rational, deviation: (frameTicks: number) => number | undefined): Rational | undefined {
  let best: { rate: Rational; off: number } | undefined;
  for (const rate of standardRates) {
    const off = deviation(ticksOfFrame(rate, timeBase));
    if (off !== undefined && off < (best?.off ?? Number.POSITIVE_INFINITY)) best = { rate, off };
  }
  return best?.rate;
}

function deviationOfFrames(pts: Ticks, endPts: number, frameTicks: number): number | undefined {
  // one frame alone has its duration to go by
  const off = pts.length === 1 ? Math.abs(endPts - pts[0]! - frameTicks) : largestDeviation(pts, frameTicks);
  return off <= toleranceTicks ? off : undefined;
}

function deviationOfSteps(pts: Ticks, frameTicks: number): number | undefined {
  let [even, sum] = [0, 0];
  for (let n = 1; n < pts.length; n++) {
    const step = pts[n]! - pts[n - 1]!;
    if (Math.abs(step - frameTicks) > toleranceTicks) continue;
    even += 1;
    sum += step;
  }
  if (even === 0 || even < (pts.length - 1) * shareOfEvenSteps) return undefined;
  return Math.abs(sum / even - frameTicks);
}

const ticksOfFrame = (rate: Rational, timeBase: Rational): number =>
  (rate.den * timeBase.den) / (rate.num * timeBase.num);

function largestDeviation(pts: Ticks, frameTicks: number): number {
  let largest = 0;
  for (let n = 0; n < pts.length; n++) largest = Math.max(largest, Math.abs(pts[n]! - pts[0]! - n * frameTicks));
  return largest;
}

function exactRate(frames: number, spanTicks: number, timeBase: Rational): Rational {
  if (spanTicks <= 0) return rational(25, 1);
  const exact = rational(frames * timeBase.den, spanTicks * timeBase.num);
  // Odd time bases make terms that a double does not hold; a thousandth of a frame a second is close enough then.
  const isHeld = Number.isSafeInteger(exact.num) && Number.isSafeInteger(exact.den);
  return isHeld ? exact : rational(Math.max(1000, Math.round(toNumber(exact) * 1000)), 1000);
}

function clamp(rate: Rational): Rational {
  if (toNumber(rate) < 1) return rational(1, 1);
  if (toNumber(rate) > 240) return rational(240, 1);
  return rate;
}
