const minute = 60_000;
const hour = 60 * minute;

/** How long after the first, second … failed attempt the next one is made. */
export const retryDelays = [
  5000,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
] as const;

/** The longest wait that an endpoint can ask for. */
const maxRetryAfter = 24 * hour;

/** Added to a delay at random, so that the events of one failure do not all come back at the same time. */
const jitter = 0.1;

/**
 * When the next attempt is made; undefined after the last one.
 * @param tries attempts that have been made, at least 1
 * @param retryAfter the header of a 429 or 503 response
 */
export function retryAt(
  tries: number,
  nowMilliseconds: number,
  { retryAfter, random = Math.random }: { retryAfter?: string | undefined; random?: () => number } = {},
): number | undefined {
  const delay = retryDelays[tries - 1];
  if (delay === undefined) return undefined;
  const withJitter = tries === 1 ? delay : Math.round(delay * (1 + jitter * random()));
  return nowMilliseconds + Math.max(withJitter, retryAfterMilliseconds(retryAfter, nowMilliseconds));
}

/** Seconds, or a date. */
function retryAfterMilliseconds(text: string | undefined, nowMilliseconds: number): number {
  if (text === undefined) return 0;
  const wait = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMilliseconds;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), maxRetryAfter);
}

/** A webhook that has failed for this time without a success is disabled. */
const maxFailing = 5 * 24 * hour;

export const isGivenUp = (failingSince: string | null, nowMilliseconds: number): boolean =>
  failingSince !== null && Date.parse(failingSince) + maxFailing <= nowMilliseconds;
