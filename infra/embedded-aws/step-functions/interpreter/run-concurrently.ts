import { setImmediate as nextTurn } from 'node:timers/promises';

// Starting is pure computing; other work of the process gets its turn in between.
const STARTS_PER_TURN = 50;

/**
 * Runs work(0) … work(count - 1), at most `concurrency` at a time, in that order. After the first failure nothing more is
 * started and `onFailure` is called, at once; what runs is waited for before that failure is thrown.
 */
export async function runPool(
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
    if (index > 0 && index % STARTS_PER_TURN === 0) await nextTurn();
    while (running >= concurrency) await oneToEnd();
    if (failure) break;
    running++;
    void run(index);
  }
  while (running > 0) await oneToEnd();
  if (failure) throw (failure as { reason: unknown }).reason;
}
