import { type Rational, rational, toNumber } from '../../shared/media/rational.ts';

/** Rates of cameras and encoders. Containers with coarse ticks only approximate them. */
const standardRates: Rational[] = [
  ...[5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 90, 100, 120, 240].map((fps) => rational(fps, 1)),
  ...[12_000, 15_000, 24_000, 30_000, 48_000, 60_000, 120_000].map((num) => rational(num, 1001)),
  rational(25, 2),
];

/** Ascending. */
type Ticks = ArrayLike<number>;

export type FrameRate = { averageFrameRate: Rational; constantFrameRate: boolean };

// rounding of two times is less than one tick; some muxers add up rounded durations
const toleranceTicks = 1.5;
const shareOfEvenSteps = 0.9;

/**
 * The rate of frames at `pts` (ascending, in ticks), the last of which ends at `endPts`. It is a standard rate when
 * every frame is at its time, except for rounding to ticks, or when nearly every frame has its duration, as in captures
 * that drop frames. Otherwise it is the exact average, or one frame per tick when the container counts frames
 * (`ticksAreFrames`). From 1 to 240.
 */
export function measureFrameRate(pts: Ticks, endPts: number, timeBase: Rational, ticksAreFrames = false): FrameRate {
  const averageFrameRate =
    closestRate(timeBase, (frameTicks) => deviationOfFrames(pts, endPts, frameTicks)) ??
    (ticksAreFrames
      ? clamp(rational(timeBase.den, timeBase.num))
      : (closestRate(timeBase, (frameTicks) => deviationOfSteps(pts, frameTicks)) ??
        clamp(exactRate(pts.length, endPts - pts[0]!, timeBase))));
  const frameTicks = ticksOfFrame(averageFrameRate, timeBase);
  // a single frame with a longer duration is repeated
  const isHeld = pts.length === 1 && endPts - pts[0]! > frameTicks * 1.5;
  return { averageFrameRate, constantFrameRate: !isHeld && largestDeviation(pts, frameTicks) <= frameTicks / 2 };
}

/** The standard rate with the smallest deviation, if `deviation` accepts any. */
function closestRate(timeBase: Rational, deviation: (frameTicks: number) => number | undefined): Rational | undefined {
  let best: { rate: Rational; off: number } | undefined;
  for (const rate of standardRates) {
    const off = deviation(ticksOfFrame(rate, timeBase));
    if (off !== undefined && off < (best?.off ?? Number.POSITIVE_INFINITY)) best = { rate, off };
  }
  return best?.rate;
}

function deviationOfFrames(pts: Ticks, endPts: number, frameTicks: number): number | undefined {
  // a single frame has only its duration
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
  // unusual time bases give terms that a double cannot represent; a precision of 0.001 is sufficient then
  const isExact = Number.isSafeInteger(exact.num) && Number.isSafeInteger(exact.den);
  return isExact ? exact : rational(Math.max(1000, Math.round(toNumber(exact) * 1000)), 1000);
}

function clamp(rate: Rational): Rational {
  if (toNumber(rate) < 1) return rational(1, 1);
  if (toNumber(rate) > 240) return rational(240, 1);
  return rate;
}
