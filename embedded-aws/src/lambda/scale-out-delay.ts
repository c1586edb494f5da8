const [leastMs, mostMs] = [100, 1000];
const eventsAhead = 4;
/** An instance that is still in its first invocation after this time has been loaded: its invocation is a long one. */
const loadingMs = 5000;

/**
 * How long an invocation waits for an instance before another one is started, where invocations usually take
 * `typicalMs`. Short invocations share the existing instances, whatever the speed of the machine, and wait for an
 * instance that is loading. Behind invocations that take minutes the delay is one second.
 */
export const scaleOutDelayMs = (typicalMs: number, isLoading: boolean): number =>
  isLoading ? loadingMs : Math.min(Math.max(leastMs, eventsAhead * typicalMs), mostMs);
