import type { Random } from '../random.ts';
import type { StoreCall } from './store-call.ts';

/**
 * What becomes of a call. `happened`: the store has done what it was asked for, and the caller is told that it has not, or nothing.
 *
 * - `refused`: answered with an error that a busy or broken store gives
 * - `cut`: the connection breaks without an answer
 * - `truncated`: the answer breaks off in its body
 * - `slow`: carried out and answered right, after a while
 * - `late`: carried out at once, and answered right after a while
 * - `expired`: refused for a signature that is too old
 * - `invalid`: refused for what is to be written
 */
export type StoreFault =
  | { kind: 'refused' | 'cut'; happened: boolean }
  | { kind: 'truncated' }
  | { kind: 'slow' | 'late'; delayMs: number }
  | { kind: 'expired' }
  | { kind: 'invalid' };

/** The store's fault at random, each kind about as often; those that hide what happened twice as often, since they are the harder ones. */
export function randomStoreFault(random: Random, { presigned }: StoreCall): StoreFault {
  const kinds = [
    () => ({ kind: 'refused', happened: false }) as const,
    () => ({ kind: 'cut', happened: false }) as const,
    ...Array.from({ length: 2 }, () => () => ({ kind: 'refused', happened: true }) as const),
    ...Array.from({ length: 2 }, () => () => ({ kind: 'cut', happened: true }) as const),
    () => ({ kind: 'truncated' }) as const,
    () => ({ kind: 'slow', delayMs: random.between(1000, 5000) }) as const,
    ...(presigned ? [() => ({ kind: 'expired' }) as const] : []),
  ];
  return random.pick(kinds)();
}
