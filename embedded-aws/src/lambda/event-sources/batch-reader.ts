import type { StreamEntry } from '../../dynamodb/storage/change-streams.ts';
import type { EventSourceMapping } from '../../template/read-event-source-mappings.ts';

/** The limit of Lambda on the payload of an invocation. */
const maxPayloadBytes = 6 * 1024 * 1024;
const pageEntries = 200;

export type Batch = {
  entries: StreamEntry[];
  /** The last record that was read, delivered or not. Undefined when there was none. */
  scannedTo: string | undefined;
};

export type BatchReaderOptions = {
  mapping: Pick<EventSourceMapping, 'batchSize' | 'batchingWindowSeconds'>;
  read: (after: string | undefined, limit: number) => Promise<StreamEntry[]>;
  /** Whether a record belongs to this reader and matches a filter of the mapping. */
  isWanted: (entry: StreamEntry) => boolean;
  now: () => number;
  /** Resolves at a time, or when there are new records. */
  waitUntil: (dueMs: number) => Promise<void>;
  isClosed: () => boolean;
};

/**
 * Reads the next batch after a position. A batch with records ends when it is full or when its window has passed; the
 * window starts with its first record.
 */
export async function readBatch(options: BatchReaderOptions, after: string | undefined): Promise<Batch> {
  const { mapping, read, isWanted, now, waitUntil, isClosed } = options;
  const entries: StreamEntry[] = [];
  let scannedTo = after;
  let bytes = 0;
  let endMs: number | undefined;
  for (;;) {
    const page = await read(scannedTo, pageEntries);
    for (const entry of page) {
      if (isWanted(entry)) {
        bytes += Buffer.byteLength(JSON.stringify(entry.record)) + 256;
        if (entries.length > 0 && bytes > maxPayloadBytes) return { entries, scannedTo };
        entries.push(entry);
      }
      scannedTo = entry.sequence;
      if (entries.length === mapping.batchSize) return { entries, scannedTo };
    }
    if (page.length === pageEntries) continue;
    if (entries.length === 0) return { entries, scannedTo };
    endMs ??= now() + mapping.batchingWindowSeconds * 1000;
    if (now() >= endMs || isClosed()) return { entries, scannedTo };
    await waitUntil(endMs);
  }
}
