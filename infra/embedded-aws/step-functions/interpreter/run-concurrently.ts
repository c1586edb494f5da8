import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

// Starting work blocks the event loop, so other work of the process runs after this many starts.
const STARTS_BEFORE_YIELD = 50;

/**
 * Runs work(0) to work(count - 1) in this order, at most `concurrency` at the same time. At the first failure no more
 * work is started and `onFailure` is called. The failure is thrown when all running work has ended.
 */
export async function runConcurrently(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
  onFailure: () => void,
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
      onFailure();
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
