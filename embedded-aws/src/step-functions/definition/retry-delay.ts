import type { Retrier } from './asl-types.ts';
import { matchesError } from './match-error.ts';

/** The delay in seconds before retry number `attempt`, counted from 1. `random` in [0, 1) is used for FULL jitter. */
export function retryDelaySeconds(retrier: Retrier, attempt: number, random: number): number {
  const { IntervalSeconds = 1, BackoffRate = 2, MaxDelaySeconds = Number.POSITIVE_INFINITY } = retrier;
  const delaySeconds = Math.min(IntervalSeconds * BackoffRate ** (attempt - 1), MaxDelaySeconds);
  return retrier.JitterStrategy === 'FULL' ? delaySeconds * random : delaySeconds;
}

/**
 * The next retry of a failed state. Only the first retrier that matches the error counts. `counts[i]` is the number of
 * retries by retrier i since the state was entered. Undefined when no retry is left.
 */
export function nextRetry(
  retriers: Retrier[] | undefined,
  counts: number[],
  error: string,
  random: number,
): { retrier: number; delaySeconds: number } | undefined {
  const index = retriers?.findIndex((retrier) => matchesError(retrier.ErrorEquals, error)) ?? -1;
  const retrier = retriers?.[index];
  const used = counts[index] ?? 0;
  if (!retrier || used >= (retrier.MaxAttempts ?? 3)) return undefined;
  return { retrier: index, delaySeconds: retryDelaySeconds(retrier, used + 1, random) };
}
