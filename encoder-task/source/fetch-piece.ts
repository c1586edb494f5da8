import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FileBytes } from '../isobmff/movie-file.ts';
import { readRange } from '../transfer/read-range.ts';
import type { SignedUrl } from '../transfer/store-fetch.ts';
import { type ByteRange, pieceAt, type SourceView } from './source-view.ts';

/** Fetches the next bytes of a piece from a position on: at least one. */
export type FetchPiece = (position: number, piece: ByteRange) => Promise<Buffer>;

export type Store = {
  urlOf: SignedUrl;
  signal: AbortSignal;
  /** called with all fetched bytes */
  onFetched?: (bytes: FileBytes) => void;
};

// Small reads of headers fetch little; long reads prefetch the next window while the encoder reads the current one.
// Windows are buffered as a whole, so that a slow encoder does not block a connection to the store.
const firstWindowBytes = 256 * 1024;
const maxWindowBytes = 8 * 1024 * 1024;
const maxReaders = 4;

/** For sequential readers: a window that continues the previous one is twice as large. */
export function fetchSequential(store: Store, view: SourceView): FetchPiece {
  const readers = new Map<number, { windowBytes: number; ahead: Promise<Buffer> | undefined }>();
  return async (position, piece) => {
    const isExpected = view.untilByte === null || position < view.untilByte;
    const reader = readers.get(position);
    readers.delete(position);
    const windowBytes = (isExpected && reader?.windowBytes) || firstWindowBytes;
    const window = (from: number) => readStored(store, from, Math.min(from + windowBytes, piece.end));
    const bytes = await (reader?.ahead ?? window(position));
    const next = position + bytes.length;
    const isLongRead = isExpected && windowBytes === maxWindowBytes && next < piece.end;
    const ahead = isLongRead ? window(next) : undefined;
    // the reader may never request it
    ahead?.catch(() => undefined);
    readers.set(next, { windowBytes: Math.min(windowBytes * 2, maxWindowBytes), ahead });
    dropOldest(readers, maxReaders);
    return bytes;
  };
}

const blockBytes = 1024 * 1024;
const blocksAhead = 16;

/** For a reader that skips unneeded ranges: the next needed blocks are prefetched and kept. */
export function fetchBlocks(store: Store, view: SourceView): FetchPiece {
  const kept = new Map<number, Promise<Buffer>>();
  const fetch = ({ start, end }: ByteRange): Promise<Buffer> => {
    const known = kept.get(start);
    if (known) return known;
    const bytes = readStored(store, start, end);
    bytes.catch(() => kept.delete(start));
    kept.set(start, bytes);
    dropOldest(kept, 2 * blocksAhead);
    return bytes;
  };
  return async (position, piece) => {
    const block = blockOf(position, piece);
    const bytes = fetch(block);
    let after: ByteRange | undefined = block;
    for (let n = 0; n < blocksAhead && after; n++) {
      after = blockFrom(view, after.end);
      if (after) fetch(after).catch(() => undefined);
    }
    return (await bytes).subarray(position - block.start);
  };
}

function blockOf(position: number, { start, end }: ByteRange): ByteRange {
  const from = start + Math.floor((position - start) / blockBytes) * blockBytes;
  return { start: from, end: Math.min(from + blockBytes, end) };
}

/** The first block at or after a position that must be fetched. */
function blockFrom(view: SourceView, from: number): ByteRange | undefined {
  for (let position = from; position < view.totalBytes; ) {
    const piece = pieceAt(view, position);
    if (piece.kind === 'stored') return blockOf(position, piece);
    position = piece.kind === 'unneeded' ? piece.end : position + piece.bytes.length;
  }
  return undefined;
}

function dropOldest(entries: Map<number, unknown>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

/** Bytes [start, end) of the object, all of them. */
export async function readStored({ urlOf, signal, onFetched }: Store, start: number, end: number): Promise<Buffer> {
  const range = await readRange(urlOf, start, end, signal);
  if (!range || range.bytes.length < end - start) {
    throw new JobError('STORE_FAILED', 'the object became shorter while it was read');
  }
  onFetched?.({ start, bytes: range.bytes });
  return range.bytes;
}
