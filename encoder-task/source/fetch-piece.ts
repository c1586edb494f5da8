import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FileBytes } from '../isobmff/movie-file.ts';
import { readRange } from '../transfer/read-range.ts';
import type { SignedUrl } from '../transfer/store-fetch.ts';
import { type ByteRange, pieceAt, type SourceView } from './source-view.ts';

/** Bytes of a piece from a position on, as many as are fetched at once: at least one. */
export type FetchPiece = (position: number, piece: ByteRange) => Promise<Buffer>;

export type Store = {
  urlOf: SignedUrl;
  signal: AbortSignal;
  /** is shown everything that is fetched */
  onFetched?: (bytes: FileBytes) => void;
};

// A look at a header takes little, a long read goes on at full speed: the next window is fetched while the encoder takes the one before. Windows are
// held whole, so that a slow encoder keeps no connection to the store waiting.
const firstWindowBytes = 256 * 1024;
const lastWindowBytes = 8 * 1024 * 1024;
const mostReaders = 4;

/** For readers that mostly read on: the window that goes on where another ended is twice as large. */
export function fetchGrowing(store: Store, view: SourceView): FetchPiece {
  const readOn = new Map<number, { windowBytes: number; ahead: Promise<Buffer> | undefined }>();
  return async (position, piece) => {
    const isWanted = view.untilByte === null || position < view.untilByte;
    const reader = readOn.get(position);
    readOn.delete(position);
    const windowBytes = (isWanted && reader?.windowBytes) || firstWindowBytes;
    const window = (from: number) => read(store, from, Math.min(from + windowBytes, piece.end));
    const bytes = await (reader?.ahead ?? window(position));
    const next = position + bytes.length;
    const isLongRead = isWanted && windowBytes === lastWindowBytes && next < piece.end;
    const ahead = isLongRead ? window(next) : undefined;
    // awaited only when it is asked for, which may never be
    ahead?.catch(() => undefined);
    readOn.set(next, { windowBytes: Math.min(windowBytes * 2, lastWindowBytes), ahead });
    dropOldest(readOn, mostReaders);
    return bytes;
  };
}

const blockBytes = 1024 * 1024;
const blocksAhead = 16;

/** For a reader that hops from piece to piece: what comes next is fetched ahead and kept. */
export function fetchHopping(store: Store, view: SourceView): FetchPiece {
  const kept = new Map<number, Promise<Buffer>>();
  const fetch = ({ start, end }: ByteRange): Promise<Buffer> => {
    const known = kept.get(start);
    if (known) return known;
    const bytes = read(store, start, end);
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

/** The first block to be fetched at or after a position. */
function blockFrom(view: SourceView, from: number): ByteRange | undefined {
  for (let position = from; position < view.totalBytes; ) {
    const piece = pieceAt(view, position);
    if (piece.kind === 'fetched') return blockOf(position, piece);
    position = piece.kind === 'unseen' ? piece.end : position + piece.bytes.length;
  }
  return undefined;
}

function dropOldest(entries: Map<number, unknown>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

async function read({ urlOf, signal, onFetched }: Store, start: number, end: number): Promise<Buffer> {
  const range = await readRange(urlOf, start, end, signal);
  if (!range || range.bytes.length < end - start) {
    throw new JobError('STORE_FAILED', 'the object became shorter while it was read');
  }
  onFetched?.({ start, bytes: range.bytes });
  return range.bytes;
}
