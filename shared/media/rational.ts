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
