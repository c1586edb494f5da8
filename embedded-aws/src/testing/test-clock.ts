/** A clock that only moves when the test moves it. */
export function testClock(startMs = Date.parse('2026-01-01T00:00:00Z')) {
  let nowMs = startMs;
  const timers = new Set<{ dueMs: number; wake: () => void }>();
  const next = () => [...timers].sort((one, other) => one.dueMs - other.dueMs)[0];
  return {
    now: () => nowMs,
    wakeAt(dueMs: number, wake: () => void) {
      const timer = { dueMs, wake };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Milliseconds until the next timer. Undefined without a timer. */
    nextInMs: () => (timers.size === 0 ? undefined : Math.max(0, (next()?.dueMs ?? 0) - nowMs)),
    advance(ms: number) {
      const targetMs = nowMs + ms;
      for (let due = next(); due && due.dueMs <= targetMs; due = next()) {
        nowMs = Math.max(nowMs, due.dueMs);
        timers.delete(due);
        due.wake();
      }
      nowMs = targetMs;
    },
  };
}

export type TestClock = ReturnType<typeof testClock>;
