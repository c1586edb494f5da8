/** Bytes of an object, or a compressed form of it. */
type Slice = {
  chunks: Buffer[];
  bytes: number;
  readers: number;
  usedAtMs: number;
  onEvicted: (() => void) | undefined;
};

export type SliceCache = ReturnType<typeof createSliceCache>;

/**
 * Keeps bytes by key, at most `maxBytes`, and drops the ones that were used least recently and those that nobody used
 * for `idleMs`. Concurrent loads of one key are one load.
 */
export function createSliceCache({ maxBytes, idleMs, now }: { maxBytes: number; idleMs: number; now: () => number }) {
  const slices = new Map<string, Slice>();
  const loading = new Map<string, Promise<Slice>>();
  let keptBytes = 0;
  /** Dropped while responses still read them. */
  let lentBytes = 0;

  function evict(key: string, slice: Slice): void {
    slices.delete(key);
    keptBytes -= slice.bytes;
    if (slice.readers > 0) lentBytes += slice.bytes;
    slice.onEvicted?.();
  }

  function keep(key: string, chunks: Buffer[], onEvicted?: () => void): Slice {
    const replaced = slices.get(key);
    if (replaced) evict(key, replaced);
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const slice = { chunks, bytes, readers: 0, usedAtMs: now(), onEvicted };
    slices.set(key, slice);
    keptBytes += bytes;
    for (const [oldest, one] of slices) {
      if (keptBytes <= maxBytes || one === slice) break;
      evict(oldest, one);
    }
    return slice;
  }

  function use(key: string): Slice | undefined {
    const slice = slices.get(key);
    if (!slice) return undefined;
    // The order of a map is that of insertion.
    slices.delete(key);
    slices.set(key, slice);
    slice.usedAtMs = now();
    return slice;
  }

  async function load(key: string, read: () => Promise<Buffer[]>): Promise<Slice> {
    const started = loading.get(key);
    if (started) return started;
    const loaded = read()
      .then((chunks) => keep(key, chunks))
      .finally(() => loading.delete(key));
    loading.set(key, loaded);
    return loaded;
  }

  function lend(slice: Slice, key: string) {
    slice.readers += 1;
    return {
      chunks: slice.chunks,
      release(): void {
        slice.readers -= 1;
        if (slice.readers === 0 && slices.get(key) !== slice) lentBytes -= slice.bytes;
      },
    };
  }

  return {
    keep: (key: string, chunks: Buffer[], onEvicted?: () => void): void => void keep(key, chunks, onEvicted),
    /** The bytes if they are in memory. */
    peek: (key: string): Buffer[] | undefined => use(key)?.chunks,
    /** Loads the bytes unless they are in memory. They count as used until `release`. */
    async borrow(key: string, read: () => Promise<Buffer[]>) {
      return lend(use(key) ?? (await load(key, read)), key);
    },
    drop(key: string): void {
      const slice = slices.get(key);
      if (slice) evict(key, slice);
    },
    dropIdle(): void {
      for (const [key, slice] of slices) if (now() - slice.usedAtMs > idleMs) evict(key, slice);
    },
    get bytes(): number {
      return keptBytes;
    },
    /** Many slow viewers of different objects hold more than may be kept. */
    get isOverloaded(): boolean {
      return lentBytes > maxBytes;
    },
  };
}
