import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Interrupted, ShuttingDown } from '../execution/state-failure.ts';
import type { StopSignal } from '../execution/stop-signal.ts';
import { JournalFailure } from '../journal/journal-file.ts';

// Starting work blocks the event loop, so other work of the process runs after this many starts.
const STARTS_BEFORE_YIELD = 50;

/**
 * Runs work(0) to work(count - 1) in this order, at most `concurrency` at the same time. At the first failure no more
 * work is started and the signal stops the running work. The failure is thrown when that has ended.
 */
export async function runConcurrently(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
  stop: StopSignal,
): Promise<void> {
  let running = 0;
  let failure: { reason: unknown } | undefined;
  let wake = () => {};
  const oneToEnd = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const run = async (index: number) => {
    try {
      await work(index);
    } catch (reason) {
      if (failure) return;
      failure = { reason };
      stop.stop(isContinuedLater(reason) ? new ShuttingDown() : new Interrupted());
    } finally {
      running--;
      wake();
    }
  };

  for (let index = 0; index < count; index++) {
    if (index > 0 && index % STARTS_BEFORE_YIELD === 0) await yieldToEventLoop();
    while (running >= concurrency) await oneToEnd();
    if (failure) break;
    running++;
    void run(index);
  }
  while (running > 0) await oneToEnd();
  if (failure) throw (failure as { reason: unknown }).reason;
}

/** Nothing may be recorded of work that continues from what the journal has. */
const isContinuedLater = (reason: unknown): boolean =>
  reason instanceof ShuttingDown || reason instanceof JournalFailure;
