import { setTimeout as sleep } from 'node:timers/promises';

/** Lets callers continue at most `perSecond` times a second, also when they wait at the same time. */
export function createPacer(perSecond: number): () => Promise<void> {
  const stepMilliseconds = 1000 / perSecond;
  let nextMilliseconds = 0;
  return async () => {
    const at = Math.max(performance.now(), nextMilliseconds);
    nextMilliseconds = at + stepMilliseconds;
    const waitMilliseconds = at - performance.now();
    if (waitMilliseconds > 0) await sleep(waitMilliseconds);
  };
}
