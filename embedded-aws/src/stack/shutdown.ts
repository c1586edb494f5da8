export type Shutdown = ReturnType<typeof createShutdown>;

/** Collects what has to be closed, and closes it in the reverse order of opening. */
export function createShutdown() {
  const closers: (() => void | Promise<void>)[] = [];
  let started = false;
  return {
    onClose(closer: () => void | Promise<void>): void {
      closers.push(closer);
    },
    get started(): boolean {
      return started;
    },
    async close(): Promise<void> {
      started = true;
      for (const closer of closers.reverse().splice(0)) await closer();
    },
  };
}
