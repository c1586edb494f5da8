import type { Rational } from './rational.ts';

/**
 * Converts ticks of one clock to ticks of another, rounding halves away from zero as FFmpeg does. Other rounding would
 * differ from FFmpeg's filters by one frame.
 */
export function rescale(ticks: number, from: Rational, to: Rational): number {
  const numerator = BigInt(ticks) * BigInt(from.num) * BigInt(to.den);
  const denominator = BigInt(from.den) * BigInt(to.num);
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return Number(numerator < 0n ? -rounded : rounded);
}
