import type { Rational } from './rational.ts';

/**
 * Converts ticks of one clock to those of another exactly, to the nearest with halves away from zero, as FFmpeg does: a rounding of our own would
 * count one frame more or less than its filters.
 */
export function rescale(ticks: number, from: Rational, to: Rational): number {
  const numerator = BigInt(ticks) * BigInt(from.num) * BigInt(to.den);
  const denominator = BigInt(from.den) * BigInt(to.num);
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return Number(numerator < 0n ? -rounded : rounded);
}
