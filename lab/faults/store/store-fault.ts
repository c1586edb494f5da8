import type { Random } from '../random.ts';
import type { StoreCall } from './store-call.ts';

/**
 * The fate of a call. `happened`: the store executed the request, but the caller gets an error or no response.
 *
 * - `refused`: answered with an error of a throttled or failing store
 * - `cut`: the connection breaks without a response
 * - `truncated`: the response breaks off within its body
 * - `slow`: delayed, then executed and answered correctly
 * - `late`: executed at once, answered correctly after a delay
 * - `expired`: refused because the signature is too old
 * - `invalid`: refused because of the data to be written
 */
export type StoreFault =
  | { kind: 'refused' | 'cut'; happened: boolean }
  | { kind: 'truncated' }
  | { kind: 'slow' | 'late'; delayMs: number }
  | { kind: 'expired' }
  | { kind: 'invalid' };

/** A random store fault. Faults that hide the effect are twice as likely, because they are harder to handle. */
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
