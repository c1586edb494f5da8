import type { OriginRange, OriginResponse } from '../origins/origin.ts';
import { createSliceCache } from './slice-cache.ts';

/**
 * Large objects are read and kept in slices, so that a seek in a film does not read all of it. Segments are smaller and
 * are one read. Proxies have slices of the same size.
 */
const sliceBytes = 4 * 2 ** 20;
const directReadBytes = 256 * 1024;
const idleMs = 60_000;
const maxEntries = 5000;

type Asked = {
  range?: OriginRange;
  headersOnly?: boolean;
  headers?: { 'if-none-match': string } | { 'if-match': string };
};

/** How a response is read from its origin, and for how long it may be used again. */
export type CacheSource = {
  fetch: (asked: Asked) => Promise<OriginResponse>;
  /** Whether the origin can return a part of an object. */
  hasRanges: boolean;
  /** Undefined: the response is not kept. */
  freshSeconds: (response: OriginResponse) => number | undefined;
};

export type Entry = {
  id: number;
  status: number;
  headers: OriginResponse['headers'];
  sizeBytes: number;
  sliceBytes: number;
  storedAtMs: number;
  freshUntilMs: number;
};

export type Found =
  | { entry: Entry; outcome: 'Hit' | 'Miss' | 'RefreshHit' }
  /** A response for this request only. */
  | { entry?: undefined; response: OriginResponse };

/** The origin has another version of the object than the one that is being delivered. */
export class ObjectReplaced extends Error {}

export type EdgeCache = ReturnType<typeof createEdgeCache>;

/** Keeps responses of origins in memory. Concurrent requests for one key cause one request to the origin. */
export function createEdgeCache({ maxBytes = 32 * 2 ** 20, now = Date.now } = {}) {
  const slices = createSliceCache({ maxBytes, idleMs, now });
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<Found>>();
  let lastId = 0;
  const sweep = setInterval(() => {
    slices.dropIdle();
    for (const [key, entry] of entries) if (now() - entry.freshUntilMs > idleMs) entries.delete(key);
  }, idleMs / 4);
  sweep.unref();

  const sliceKey = (entry: Entry, index: number | string): string => `${entry.id} ${index}`;

  function store(key: string, response: OriginResponse, source: CacheSource): Found {
    const seconds = source.freshSeconds(response);
    if (seconds === undefined && !response.range) {
      entries.delete(key);
      return { response };
    }
    lastId += 1;
    const { status, headers, sizeBytes, range, chunks, headersOnly } = response;
    const entry: Entry = {
      id: lastId,
      status: range ? 200 : status,
      headers,
      sizeBytes,
      sliceBytes: source.hasRanges && status < 300 ? sliceBytes : Number.POSITIVE_INFINITY,
      storedAtMs: now(),
      freshUntilMs: now() + (seconds ?? 0) * 1000,
    };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries) entries.delete(oldest!);
    // Without its body, a response that cannot be read in ranges is worth nothing.
    const onEvicted = (): void => {
      if (entry.sliceBytes !== sliceBytes && entries.get(key) === entry) entries.delete(key);
    };
    if (!headersOnly)
      slices.keep(sliceKey(entry, Math.floor((range?.start ?? 0) / entry.sliceBytes)), chunks, onEvicted);
    return { entry, outcome: 'Miss' };
  }

  /** @param start the first byte that is wanted */
  async function load(key: string, source: CacheSource, start: number, headersOnly: boolean): Promise<Found> {
    if (!source.hasRanges) return store(key, await source.fetch({}), source);
    if (headersOnly) return store(key, await source.fetch({ headersOnly }), source);
    const first = start - (start % sliceBytes);
    const response = await source.fetch({ range: { start: first, end: first + sliceBytes } });
    // The object is empty, or shorter than the viewer expects.
    if (response.status === 416) return store(key, await source.fetch({ headersOnly: true }), source);
    return store(key, response, source);
  }

  async function revalidate(key: string, entry: Entry, source: CacheSource, start: number): Promise<Found> {
    const etag = entry.headers.etag;
    if (typeof etag !== 'string') return load(key, source, start, false);
    const response = await source.fetch({ headersOnly: true, headers: { 'if-none-match': etag } });
    // While the origin has a problem, what is there is delivered.
    const isUnavailable = response.status >= 500;
    if (response.status !== 304 && !isUnavailable) return load(key, source, start, false);
    const merged = isUnavailable ? entry : { ...entry, headers: { ...entry.headers, ...response.headers } };
    const seconds = isUnavailable
      ? 0
      : (source.freshSeconds({ ...response, status: entry.status, headers: merged.headers }) ?? 0);
    const fresh = { ...merged, storedAtMs: now(), freshUntilMs: now() + seconds * 1000 };
    entries.set(key, fresh);
    return { entry: fresh, outcome: 'RefreshHit' };
  }

  async function readSlice(key: string, entry: Entry, source: CacheSource, range: OriginRange): Promise<Buffer[]> {
    const { etag } = entry.headers;
    const response = await source.fetch({ range, ...(typeof etag === 'string' && { headers: { 'if-match': etag } }) });
    if (response.status === 206) return response.chunks;
    if (entries.get(key)?.id === entry.id) entries.delete(key);
    throw new ObjectReplaced(`The origin answered ${response.status} for a part of the object.`);
  }

  return {
    /** Finds a response, at once if it is fresh. */
    find(key: string, source: CacheSource, { start = 0, headersOnly = false } = {}): Found | Promise<Found> {
      const entry = entries.get(key);
      if (entry && now() < entry.freshUntilMs) return { entry, outcome: 'Hit' };
      const started = loading.get(key);
      // What is not kept was for the first viewer only.
      if (started)
        return started.then((found) =>
          found.entry ? { ...found, outcome: 'Hit' } : load(key, source, start, headersOnly),
        );
      const found = (entry ? revalidate(key, entry, source, start) : load(key, source, start, headersOnly)).finally(
        () => loading.delete(key),
      );
      loading.set(key, found);
      return found;
    },

    /** The bytes of a range that are in memory, if they are in one slice. */
    peek(entry: Entry, { start, end }: OriginRange): Buffer[] | undefined {
      const index = Math.floor(start / entry.sliceBytes);
      if (end > (index + 1) * entry.sliceBytes) return undefined;
      const offset = entry.sliceBytes === Number.POSITIVE_INFINITY ? 0 : index * entry.sliceBytes;
      const chunks = slices.peek(sliceKey(entry, index));
      return chunks && cut(chunks, start - offset, end - offset);
    },

    /** Reads the bytes of a range, slice by slice. @throws ObjectReplaced */
    async *read(key: string, entry: Entry, source: CacheSource, { start, end }: OriginRange): AsyncGenerator<Buffer> {
      let at = start;
      while (at < end) {
        if (slices.isOverloaded && source.hasRanges) {
          const range = { start: at, end: Math.min(at + directReadBytes, end) };
          yield* await readSlice(key, entry, source, range);
          at = range.end;
          continue;
        }
        const index = Math.floor(at / entry.sliceBytes);
        const from = index === 0 ? 0 : index * entry.sliceBytes;
        const until = Math.min(from + entry.sliceBytes, entry.sizeBytes);
        const { chunks, release } = await slices.borrow(sliceKey(entry, index), () =>
          readSlice(key, entry, source, { start: from, end: until }),
        );
        try {
          yield* cut(chunks, at - from, Math.min(end, until) - from);
        } finally {
          release();
        }
        at = until;
      }
    },

    /** Another form of a whole response, such as a compressed one. It is made once. */
    async derive(entry: Entry, name: string, make: () => Promise<Buffer>): Promise<Buffer> {
      const { chunks, release } = await slices.borrow(sliceKey(entry, name), async () => [await make()]);
      release();
      return chunks[0]!;
    },

    ageSeconds: (entry: Entry): number => Math.floor((now() - entry.storedAtMs) / 1000),
    get bytes(): number {
      return slices.bytes;
    },
    dropIdle: slices.dropIdle,
    close: (): void => clearInterval(sweep),
  };
}

/** The bytes [start, end) of the concatenated chunks. */
function cut(chunks: Buffer[], start: number, end: number): Buffer[] {
  const found: Buffer[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    const [from, until] = [Math.max(start - offset, 0), Math.min(end - offset, chunk.length)];
    offset += chunk.length;
    if (from < until) found.push(from === 0 && until === chunk.length ? chunk : chunk.subarray(from, until));
  }
  return found;
}
