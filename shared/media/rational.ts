/** An exact fraction, such as a frame rate or a time base. `den` is never 0. */
export type Rational = { num: number; den: number };

export const rational = (num: number, den: number): Rational => {
  const divisor = gcd(Math.abs(num), Math.abs(den)) || 1;
  return { num: num / divisor, den: den / divisor };
};

/** Parses ffprobe's `30000/1001` or `16:9`; undefined for `0/0`, zero or anything else. */
export function parseRational(text: string | undefined): Rational | undefined {
  const match = /^(\d+)[/:](\d+)$/.exec(text ?? '');
  if (!match) return undefined;
  const [num, den] = [Number(match[1]), Number(match[2])];
  return num > 0 && den > 0 ? rational(num, den) : undefined;
}

export const toNumber = ({ num, den }: Rational): number => num / den;

export const formatRational = ({ num, den }: Rational): string => `${num}/${den}`;

export function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

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
