/**
 * The time source of services that wait. `wakeAt` calls `wake` at or after a time, and returns a function that cancels
 * it. Times are epoch milliseconds.
 */
export type Clock = { now(): number; wakeAt(dueMs: number, wake: () => void): () => void };

// setTimeout calls at once if the delay is longer.
const MAX_TIMER_MS = 2 ** 31 - 1;

export function systemClock(now: () => number = Date.now): Clock {
  return {
    now,
    wakeAt(dueMs, wake) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const delayMs = Math.max(0, dueMs - now());
        timer = delayMs > MAX_TIMER_MS ? setTimeout(arm, MAX_TIMER_MS) : setTimeout(wake, delayMs);
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
