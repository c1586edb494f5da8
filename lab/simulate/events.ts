/** Events in virtual time: a binary heap by time. Events at the same time keep their order of scheduling. */
export function createTimeline() {
  const heap: { atSeconds: number; order: number; happen: () => void }[] = [];
  let nowSeconds = 0;
  let planned = 0;

  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [heap[a]!, heap[b]!];
    return x.atSeconds < y.atSeconds || (x.atSeconds === y.atSeconds && x.order < y.order);
  };
  const swap = (a: number, b: number): void => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };

  function rise(position: number): void {
    for (let child = position; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(child, parent)) return;
      swap(child, parent);
      child = parent;
    }
  }

  function sink(): void {
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      let first = parent;
      if (left < heap.length && isBefore(left, first)) first = left;
      if (right < heap.length && isBefore(right, first)) first = right;
      if (first === parent) return;
      swap(parent, first);
      parent = first;
    }
  }

  return {
    now: (): number => nowSeconds,
    after(seconds: number, happen: () => void): void {
      heap.push({ atSeconds: nowSeconds + seconds, order: planned++, happen });
      rise(heap.length - 1);
    },
    /** Processes events until `isOver`. */
    run(isOver: () => boolean): void {
      while (!isOver()) {
        const next = heap[0];
        if (!next) throw new Error('nothing is left to happen, and it is not over');
        swap(0, heap.length - 1);
        heap.pop();
        sink();
        nowSeconds = next.atSeconds;
        next.happen();
      }
    },
  };
}

export type Timeline = ReturnType<typeof createTimeline>;

/** Numbers that look random and are the same in each run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
