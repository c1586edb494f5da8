/** Measures how long playback waits after it began, other than for a jump. */
export function createStarvationClock(now: () => number = () => performance.now()) {
  let hasBegun = false;
  let waitsSince: number | undefined;
  const waitedMs: number[] = [];

  const end = () => {
    const period = waitsSince === undefined ? 0 : Math.round(now() - waitsSince);
    if (period > 0) waitedMs.push(period);
    waitsSince = undefined;
  };
  return {
    begin(): void {
      hasBegun = true;
    },
    wait(isSeeking: boolean): void {
      if (hasBegun && !isSeeking) waitsSince ??= now();
    },
    go: end,
    interrupt: end,
    reset(): void {
      end();
      hasBegun = false;
    },
    /** The first period that ended and was not taken. Each request has one: a list would need an encoded space. */
    take: (): number | undefined => waitedMs.shift(),
    /** All periods that were not taken, also the beginning of one that still lasts: the rest of it is another one. */
    takeAll(): number[] {
      const isWaiting = waitsSince !== undefined;
      end();
      if (isWaiting) waitsSince = now();
      return waitedMs.splice(0);
    },
  };
}
