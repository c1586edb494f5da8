/** Measures how long playback waits after it began, other than for a jump. */
export function createStarvationClock(now: () => number = () => performance.now()) {
  let hasBegun = false;
  let waitsSince: number | undefined;
  let waitedMs: number[] = [];

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
    /** The periods that ended since the last call. */
    take(): number[] {
      const taken = waitedMs;
      waitedMs = [];
      return taken;
    },
  };
}
