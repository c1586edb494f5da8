/** A clock that stands still until it is told where to go. */
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
    /** Milliseconds to the next thing that is due; undefined when nothing is. */
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
