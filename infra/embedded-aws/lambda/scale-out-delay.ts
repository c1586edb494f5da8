const [leastMs, mostMs] = [100, 1000];
const eventsAhead = 4;
/** A function that has not answered its first event by then is not loading any more: its events take long. */
const loadingMs = 5000;

/**
 * How long an event waits for an instance before one more is started, in a function whose events usually take `typicalMs`. Some callers at once share
 * what is there, on a slow machine as on a fast one, and wait for an instance that is loading; behind events that take minutes nobody waits for long.
 */
export const scaleOutDelayMs = (typicalMs: number, isLoading: boolean): number =>
  isLoading ? loadingMs : Math.min(Math.max(leastMs, eventsAhead * typicalMs), mostMs);
