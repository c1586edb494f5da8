export type TaskSlots = ReturnType<typeof createTaskSlots>;

/** The capacity of this machine: `count` slots, numbered from 0. The free slot with the lowest number is used first. */
export function createTaskSlots(count: number) {
  const free = Array.from({ length: count }, (_, slot) => slot);
  let closed = false;
  return {
    count,
    /** Takes up to `maxSlots` free slots. */
    take: (maxSlots: number): number[] => free.splice(0, maxSlots),
    /** Takes one slot. Returns false if it is not free or does not exist. */
    takeSlot(slot: number): boolean {
      const index = free.indexOf(slot);
      if (index >= 0) free.splice(index, 1);
      return index >= 0;
    },
    release(slot: number): void {
      if (closed) return;
      free.push(slot);
      free.sort((a, b) => a - b);
    },
    /** After this no slot is free. */
    close(): void {
      closed = true;
      free.length = 0;
    },
  };
}
