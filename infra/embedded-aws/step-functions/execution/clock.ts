import { type Stop, waitFor } from './stop-signal.ts';

/** Time as the interpreter knows it: epoch milliseconds, and a call at or after one of them. */
export type Clock = { now(): number; wakeAt(dueMs: number, wake: () => void): () => void };

// setTimeout fires at once for longer delays.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function systemClock(now: () => number = Date.now): Clock {
  return {
    now,
    wakeAt(dueMs, wake) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const delayMs = Math.max(0, dueMs - now());
        timer = delayMs > LONGEST_TIMER_MS ? setTimeout(arm, LONGEST_TIMER_MS) : setTimeout(wake, delayMs);
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

export function sleepUntil(clock: Clock, dueMs: number, stop: Stop): Promise<void> {
  return waitFor(stop, (resolve) => clock.wakeAt(dueMs, () => resolve()));
}
