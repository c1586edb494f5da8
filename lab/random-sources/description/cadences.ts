import { type Rational, toNumber } from '../../../shared/media/rational.ts';
import type { Cadence } from './source.ts';

export const variableCadences: readonly Cadence[] = ['drops', 'scroll', 'static', 'gap', 'single'];

/**
 * The frames of `count` that a track of this cadence has, in order. The last two are always among them: most containers
 * do not say how long the last frame lasts, and the step before it is the best guess.
 */
export function numbersOf(cadence: Cadence, count: number, rate: Rational): number[] {
  if (cadence === 'single') return [0];
  const all = Array.from({ length: count }, (_, n) => n);
  const [isShown, frameSeconds] = [shownIn[cadence], 1 / toNumber(rate)];
  return all.filter((n) => n >= count - 2 || isShown(n * frameSeconds, n, frameSeconds));
}

type IsShown = (seconds: number, n: number, frameSeconds: number) => boolean;

/** When a picture without motion changes. Two of the changes come a tenth of a second after another one. */
const changesSeconds = [0, 0.7, 0.8, 1.9, 2.5, 2.6, 3.4, 4.8, 5.5];

const shownIn: Record<Exclude<Cadence, 'single'>, IsShown> = {
  constant: () => true,
  drops: (_, n) => n % 8 !== 5,
  // half a second of motion, then half a second without
  scroll: (seconds) => seconds % 1 < 0.5,
  static: (seconds, _, frameSeconds) =>
    changesSeconds.some((change) => Math.abs(seconds - change) <= frameSeconds / 2 - 1e-9),
  gap: (seconds) => seconds < 0.5 || seconds >= 1.5,
};
