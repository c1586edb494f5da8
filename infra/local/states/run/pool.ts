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
  let next = 0;
  let failure: { reason: unknown } | undefined;
  const lane = async () => {
    while (next < count && !failure) {
      const index = next++;
      if (index % STARTS_PER_TURN === STARTS_PER_TURN - 1) await nextTurn();
      try {
        await work(index);
      } catch (reason) {
        if (failure) continue;
        failure = { reason };
        onFailure();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, lane));
  if (failure) throw failure.reason;
}
