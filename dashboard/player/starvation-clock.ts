/** Measures how long playback waits after it began, other than for a jump. */
export function createStarvationClock(now: () => number = () => performance.now()) {
  let hasBegun = false;
  let waitsSince: number | undefined;
  const waitedMs: number[] = [];

  const end = () => {
    if (waitsSince !== undefined) waitedMs.push(Math.round(now() - waitsSince));
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
      hasBegun = false;
      waitsSince = undefined;
    },
    /** The first period that ended and was not taken. Each request has one: a list would need an encoded space. */
    take: (): number | undefined => waitedMs.shift(),
  };
}
