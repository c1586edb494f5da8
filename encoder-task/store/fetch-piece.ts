import { JobError } from '../../shared/job-errors.ts';
import { readRange } from './read-range.ts';
import { type ByteRange, pieceAt, type SourceView } from './source-view.ts';

/** Bytes of a piece from a position on, as many as are fetched at once: at least one. */
export type FetchPiece = (position: number, piece: ByteRange) => Promise<Buffer>;

// A demuxer asks for "from here to the end" and hangs up when it has enough. Growing windows fetch little for a look at a header; a long read
// goes on at full speed, since the next window is fetched while the encoder takes the one before. Windows are held whole, so that a slow
// encoder keeps no connection to the store waiting.
const firstWindowBytes = 256 * 1024;
const lastWindowBytes = 8 * 1024 * 1024;

/** For one reader that reads on from where it began. */
export function fetchGrowing(url: string, view: SourceView, signal: AbortSignal): FetchPiece {
  let windowBytes = firstWindowBytes;
  let ahead: { position: number; bytes: Promise<Buffer> } | undefined;
  return async (position, piece) => {
    const isWanted = view.untilByte === null || position < view.untilByte;
    if (!isWanted) windowBytes = firstWindowBytes;
    const fetched =
      ahead?.position === position
        ? ahead.bytes
        : read(url, position, Math.min(position + windowBytes, piece.end), signal);
    ahead = undefined;
    const bytes = await fetched;
    if (isWanted) windowBytes = Math.min(windowBytes * 2, lastWindowBytes);
    const next = position + bytes.length;
    if (windowBytes === lastWindowBytes && next < piece.end) {
      ahead = { position: next, bytes: read(url, next, Math.min(next + windowBytes, piece.end), signal) };
      // awaited only when it is asked for, which a closing reader may never do
      ahead.bytes.catch(() => undefined);
    }
    return bytes;
  };
}

const blockBytes = 1024 * 1024;
const blocksAhead = 8;
const blocksKept = 3 * blocksAhead;

/**
 * For readers that hop from piece to piece, each time with a new connection: what comes next is fetched ahead and kept for whichever connection asks.
 */
export function fetchShared(url: string, view: SourceView, signal: AbortSignal): FetchPiece {
  const kept = new Map<number, Promise<Buffer>>();
  const fetch = ({ start, end }: ByteRange): Promise<Buffer> => {
    const known = kept.get(start);
    if (known) return known;
    const bytes = read(url, start, end, signal);
    bytes.catch(() => kept.delete(start));
    kept.set(start, bytes);
    for (const oldest of kept.keys()) {
      if (kept.size <= blocksKept) break;
      kept.delete(oldest);
    }
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

async function read(url: string, start: number, end: number, signal: AbortSignal): Promise<Buffer> {
  const range = await readRange(url, start, end, signal);
  if (!range || range.bytes.length < end - start) {
    throw new JobError('STORE_FAILED', 'the object became shorter while it was read');
  }
  return range.bytes;
}
