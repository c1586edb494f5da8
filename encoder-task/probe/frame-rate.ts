import { type Rational, rational, toNumber } from '../../shared/media/rational.ts';

/** Rates of cameras and encoders. Containers with coarse ticks only approximate them. */
const standardRates: Rational[] = [
  ...[1, 2, 4, 5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 40, 48, 50, 60].map((fps) => rational(fps, 1)),
  // screens, and slow motion
  ...[75, 90, 100, 120, 144, 165, 240].map((fps) => rational(fps, 1)),
  ...[12_000, 15_000, 24_000, 30_000, 48_000, 60_000, 120_000].map((num) => rational(num, 1001)),
  rational(25, 2),
];

/** A higher rate becomes this one. */
const maxFps = 240;

/** Ascending. */
type Ticks = ArrayLike<number>;

export type FrameRate = { averageFrameRate: Rational; constantFrameRate: boolean; gridFrameRate?: Rational };

/**
 * Rounding of two times is less than one tick, and some muxers add up rounded durations. Ticks that are as long as
 * frames are not rounded.
 */
const maxRoundingTicks = 1.5;
const toleranceTicks = (frameTicks: number): number => Math.min(maxRoundingTicks, frameTicks / 2);

/**
 * The rate of frames at `pts` (ascending, in ticks), the last of which ends at `endPts`. It is a standard rate when
 * every frame is at its time, except for rounding to ticks, and otherwise the exact average, from 1 to 240. Frames that
 * are not at the times of a constant rate have a grid in addition, unless the container counts frames
 * (`ticksAreFrames`): then its rate is that of the frames, some of which are missing.
 */
export function measureFrameRate(pts: Ticks, endPts: number, timeBase: Rational, ticksAreFrames = false): FrameRate {
  const secondsPerTick = toNumber(timeBase);
  const exact = constantRate(pts, endPts, secondsPerTick);
  const counted = ticksAreFrames && countsFrames(pts, 1 / secondsPerTick) ? rational(timeBase.den, timeBase.num) : null;
  const averageFrameRate = exact ?? counted ?? exactRate(pts.length, endPts - pts[0]!, timeBase);
  const frameTicks = ticksOfFrame(averageFrameRate, secondsPerTick);
  // a single frame with a longer duration is repeated
  if (pts.length === 1) return { averageFrameRate, constantFrameRate: endPts - pts[0]! <= frameTicks * 1.5 };
  const isNearlyConstant = largestDeviation(pts, frameTicks, frameTicks / 2) <= frameTicks / 2;
  if (exact ?? counted) return { averageFrameRate, constantFrameRate: isNearlyConstant };
  const gridFrameRate = gridRate(pts, secondsPerTick);
  const constantFrameRate = isNearlyConstant && !hasMissingFrames(pts, ticksOfFrame(gridFrameRate, secondsPerTick));
  return { averageFrameRate, constantFrameRate, ...(!constantFrameRate && { gridFrameRate }) };
}

/**
 * Whether all frames are at the times of a constant rate, but not one after another: an encoder dropped every eighth
 * one, for example. The distance to the average is small then, but motion is uneven.
 */
const hasMissingFrames = (pts: Ticks, frameTicks: number): boolean =>
  isOnGrid(pts, frameTicks) && pts[pts.length - 1]! - pts[0]! > (pts.length - 0.5) * frameTicks;

/** Whether every frame is at a time of a constant rate, except for rounding to ticks. */
function isOnGrid(pts: Ticks, frameTicks: number): boolean {
  const tolerance = Math.min(toleranceTicks(frameTicks), frameTicks / 8);
  for (let n = 1; n < pts.length; n++) {
    const frames = (pts[n]! - pts[0]!) / frameTicks;
    if (Math.abs(frames - Math.round(frames)) * frameTicks > tolerance) return false;
  }
  return true;
}

/** Some recordings count milliseconds instead. Above the usual rates, most frames follow the one before at once. */
const countsFrames = (pts: Ticks, fps: number): boolean =>
  fps <= maxIrregularFps || (fps <= maxFps && pts.length > 1 && medianStep(pts) === 1);

/** The standard rate at whose times all frames are, except for rounding to ticks. */
function constantRate(pts: Ticks, endPts: number, secondsPerTick: number): Rational | undefined {
  let best: { rate: Rational; off: number } | undefined;
  for (const rate of standardRates) {
    const frameTicks = ticksOfFrame(rate, secondsPerTick);
    // a single frame has only its duration
    const tolerance = toleranceTicks(frameTicks);
    const off =
      pts.length === 1 ? Math.abs(endPts - pts[0]! - frameTicks) : largestDeviation(pts, frameTicks, tolerance);
    if (off <= tolerance && off < (best?.off ?? Number.POSITIVE_INFINITY)) best = { rate, off };
  }
  return best?.rate;
}

/** Frames at irregular times need no finer grid: screens show no more, and repeated frames are not free. */
const maxIrregularFps = 60;
const irregularRates = standardRates.filter(({ num, den }) => den === 1 && num <= maxIrregularFps);
/**
 * A frame that the next one replaces earlier is not seen: a duplicate, or one of a burst after the capture has stalled.
 * The second limit is that of recordings whose usual rate is above 60 fps.
 */
const leastVisibleSeconds = { usual: 1 / 90, highSpeed: 0.0035 };
/** One step in so many may be shorter than the usual ones: outliers, and jitter. */
const usualShare = 25;
/** So many frames in a row are a motion, also in a long recording of a screen that stands still. */
const motionFrames = 8;
/** Timestamps of cameras and calls vary by about this share of a frame. */
const jitterShare = 0.25;
/** How near a standard rate is the rate of steps that vary: the mean of a hundred steps is off by a tenth of this. */
const nominalShare = 0.02;

/**
 * The rate of the grid on which frames with variable times are repeated. Its step is the finest usual one of the
 * frames, whatever their average: a screen that scrolls at 40 fps and then stands still gets 40. It is a standard rate
 * near that of the steps, otherwise the next higher one up to 60.
 */
function gridRate(pts: Ticks, secondsPerTick: number): Rational {
  const isHighSpeed = medianStep(pts) * secondsPerTick < 1 / (maxIrregularFps * (1 + jitterShare / 2));
  const leastSeconds = isHighSpeed ? leastVisibleSeconds.highSpeed : leastVisibleSeconds.usual;
  const steps = visibleSteps(pts, leastSeconds / secondsPerTick);
  const fps = 1 / (finestUsualStep(steps) * secondsPerTick);
  const distance = (rate: Rational): number => Math.abs(toNumber(rate) / fps - 1);
  const near = standardRates
    .filter((rate) => (isHighSpeed || toNumber(rate) <= maxIrregularFps) && distance(rate) <= nominalShare)
    .sort((a, b) => distance(a) - distance(b));
  // 29.97 and 30 differ less than steps in milliseconds do
  const exact = near.find((rate) => isOnGrid(pts, ticksOfFrame(rate, secondsPerTick)));
  if (near.length > 0) return exact ?? near[0]!;
  return irregularRates.find((rate) => toNumber(rate) >= fps) ?? rational(maxIrregularFps, 1);
}

const medianStep = (pts: Ticks): number => {
  const steps = visibleSteps(pts, 0).sort();
  return steps[Math.floor(steps.length / 2)]!;
};

/** Distances in ticks between frames that are seen for at least `leastTicks`, except for the last. */
function visibleSteps(pts: Ticks, leastTicks: number): Float64Array {
  const steps = new Float64Array(pts.length);
  let count = 0;
  for (let n = 1, from = pts[0]!; n < pts.length; n++) {
    if (pts[n]! - from < leastTicks) continue;
    steps[count++] = pts[n]! - from;
    from = pts[n]!;
  }
  return steps.subarray(0, count);
}

/**
 * The mean of the finest cluster of steps. The search starts at the shortest steps that are not outliers, and moves to
 * where the steps around are most frequent: the short side of jitter leads to its middle. Infinite without any step.
 */
function finestUsualStep(steps: Float64Array): number {
  if (steps.length === 0) return Number.POSITIVE_INFINITY;
  const usual = steps.toSorted()[Math.floor(steps.length / usualShare)]!;
  let step = Math.min(usual, slowestStepOfFastestMotion(steps));
  for (let rounds = 0; rounds < 20; rounds++) {
    const mean = meanOfSteps(steps, step * (1 - jitterShare), step * (1 + jitterShare));
    if (mean === step) break;
    step = mean;
  }
  return step;
}

function slowestStepOfFastestMotion(steps: Float64Array): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let n = motionFrames; n <= steps.length; n++) {
    let slowest = 0;
    for (let at = n - motionFrames; at < n; at++) slowest = Math.max(slowest, steps[at]!);
    fastest = Math.min(fastest, slowest);
  }
  return fastest;
}

function meanOfSteps(steps: Float64Array, least: number, most: number): number {
  let [count, sum] = [0, 0];
  for (const step of steps) {
    if (step < least || step > most) continue;
    count += 1;
    sum += step;
  }
  return sum / count;
}

const ticksOfFrame = (rate: Rational, secondsPerTick: number): number => 1 / (toNumber(rate) * secondsPerTick);

/** The largest distance of a frame from its time at a constant rate, or the first above `most`. */
function largestDeviation(pts: Ticks, frameTicks: number, most: number): number {
  let largest = 0;
  for (let n = 0; n < pts.length && largest <= most; n++) {
    largest = Math.max(largest, Math.abs(pts[n]! - pts[0]! - n * frameTicks));
  }
  return largest;
}

function exactRate(frames: number, spanTicks: number, timeBase: Rational): Rational {
  if (spanTicks <= 0) return rational(25, 1);
  const exact = rational(frames * timeBase.den, spanTicks * timeBase.num);
  // unusual time bases give terms that a double cannot represent; a precision of 0.001 is sufficient then
  const isExact = Number.isSafeInteger(exact.num) && Number.isSafeInteger(exact.den);
  return clamp(isExact ? exact : rational(Math.max(1000, Math.round(toNumber(exact) * 1000)), 1000));
}

function clamp(rate: Rational): Rational {
  if (toNumber(rate) < 1) return rational(1, 1);
  if (toNumber(rate) > maxFps) return rational(maxFps, 1);
  return rate;
}
