const smallestBytes = 64 * 1024;

/** Memory for the pieces that are being copied. */
export type BufferPool = {
  /** waits until so many bytes are free; those that have waited longest come first */
  take: (bytes: number) => Promise<Buffer>;
  give: (buffer: Buffer) => void;
};

/**
 * A pool that holds at most `maxBytes`. Buffers are used again: with a new one for each piece, the process grows by
 * what the garbage collector has not seen yet.
 */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: Buffer[] = [];
  const waiting: { bytes: number; resolve: (buffer: Buffer) => void }[] = [];
  let heldBytes = 0;

  const find = (bytes: number): Buffer | undefined => {
    const index = free.findIndex(({ length }) => length === bytes);
    if (index >= 0) return free.splice(index, 1)[0];
    while (heldBytes + bytes > maxBytes && free.length > 0) heldBytes -= free.shift()!.length;
    if (heldBytes + bytes > maxBytes) return undefined;
    heldBytes += bytes;
    return Buffer.allocUnsafeSlow(bytes);
  };
  const serve = (): void => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const buffer = find(next.bytes);
      if (!buffer) return;
      waiting.shift();
      next.resolve(buffer);
    }
  };
  return {
    take: (bytes) =>
      new Promise((resolve) => {
        waiting.push({ bytes: sizeClass(bytes), resolve });
        serve();
      }),
    give: (buffer) => {
      free.push(buffer);
      serve();
    },
  };
}

/** Few sizes, so that a buffer fits the next pieces too. */
export const sizeClass = (bytes: number): number =>
  Math.max(smallestBytes, 2 ** Math.ceil(Math.log2(Math.max(1, bytes))));
