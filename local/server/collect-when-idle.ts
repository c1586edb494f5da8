import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const lookEveryMs = 3000;
const idleUtilization = 0.05;
/** Scheduled functions allocate a little each minute. It is not worth a collection. */
const worthwhileBytes = 8 * 2 ** 20;

/** With the memory that V8 holds for new objects, which is most of what remains after a busy time. */
const heldByHeap = (): number => getHeapStatistics().total_heap_size;

/**
 * Collects garbage when the main thread becomes idle. V8 does so by itself only while memory is allocated, and would
 * keep what a busy time left.
 * @param collect `gc` of a Node that was started with --expose-gc
 */
export function collectWhenIdle(
  collect: () => void,
  { everyMs = lookEveryMs, heldBytes = heldByHeap } = {},
): () => void {
  let before = performance.eventLoopUtilization();
  let keptBytes = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleUtilization || heldBytes() - keptBytes < worthwhileBytes) return;
    collect();
    keptBytes = heldBytes();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
