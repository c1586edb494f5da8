import type { Retrier } from './asl-types.ts';
import { matchesError } from './match-error.ts';

/** Seconds before attempt number `attempt` + 1 (1 is the first retry). `random` is in [0, 1) and spreads a FULL jitter. */
export function retryDelaySeconds(retrier: Retrier, attempt: number, random: number): number {
  const { IntervalSeconds = 1, BackoffRate = 2, MaxDelaySeconds = Number.POSITIVE_INFINITY } = retrier;
  const delaySeconds = Math.min(IntervalSeconds * BackoffRate ** (attempt - 1), MaxDelaySeconds);
  return retrier.JitterStrategy === 'FULL' ? delaySeconds * random : delaySeconds;
}

/**
 * The next retry of a failed state: the first retrier that takes the error decides, and it alone.
 * `counts[i]` is how often retrier i was used in this visit. Undefined when there is nothing left to try.
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
