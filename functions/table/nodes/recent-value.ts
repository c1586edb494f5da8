import { now } from '../../../shared/clock.ts';

/**
 * A value that an instance of a function reads again when it is older than this, and at once after `forget`. Concurrent
 * calls share a read. A read that fails is not kept.
 */
export function createRecentValue<Value>(milliseconds: number) {
  let kept: { value: Promise<Value>; atMilliseconds: number } | undefined;
  return {
    read(load: () => Promise<Value>): Promise<Value> {
      const ageMilliseconds = now() - (kept?.atMilliseconds ?? Number.NEGATIVE_INFINITY);
      if (kept && ageMilliseconds >= 0 && ageMilliseconds < milliseconds) return kept.value;
      const read = { value: load(), atMilliseconds: now() };
      kept = read;
      read.value.catch(() => {
        if (kept === read) kept = undefined;
      });
      return read.value;
    },
    forget(): void {
      kept = undefined;
    },
  };
}
