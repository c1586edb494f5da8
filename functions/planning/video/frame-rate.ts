import type { Rational } from '../../../shared/media/rational.ts';
import { rational, toNumber } from '../../../shared/media/rational.ts';

const ntscBases = [24, 30, 48, 60, 120];
const maxNumerator = 1_000_000;

/**
 * The exact rate for a cap in decimal notation: 29.97 is 30000/1001; other values are rounded to thousandths. At least
 * 1 fps.
 */
export function capRate(framesPerSecond: number): Rational {
  const ntsc = ntscBases.find(
    (base) => Math.abs(framesPerSecond - (base * 1000) / 1001) < 0.011 && framesPerSecond < base,
  );
  if (ntsc !== undefined && framesPerSecond % 1 !== 0) return rational(ntsc * 1000, 1001);
  return rational(Math.max(1000, Math.round(framesPerSecond * 1000)), 1000);
}

/** Measured averages are slightly off. Dropping one frame in thousands would only cause a visible stutter. */
const nearlyEqual = 1.0005;

/** The lower of the source's rate and the cap. */
export function outputRate(source: Rational, cap: number | undefined): { frameRate: Rational; isCapped: boolean } {
  const limit = cap === undefined ? undefined : capRate(cap);
  const isCapped = limit !== undefined && toNumber(source) > toNumber(limit) * nearlyEqual;
  return { frameRate: isCapped ? limit : approximate(source), isCapped };
}

/**
 * The nearest fraction with a numerator of at most a million, less than one frame per year off. Larger terms overflow
 * the timescale of a track.
 */
export function approximate({ num, den }: Rational): Rational {
  if (num <= maxNumerator) return { num, den };
  let [previous, current] = [
    [0, 1],
    [1, 0],
  ] as [[number, number], [number, number]];
  let [dividend, divisor] = [num, den];
  while (divisor !== 0) {
    const whole = Math.floor(dividend / divisor);
    const next: [number, number] = [whole * current[0] + previous[0], whole * current[1] + previous[1]];
    if (next[0] > maxNumerator) break;
    [previous, current] = [current, next];
    [dividend, divisor] = [divisor, dividend % divisor];
  }
  return rational(current[0], current[1]);
}
