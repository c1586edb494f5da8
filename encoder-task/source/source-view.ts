import type { FileBytes } from '../isobmff/movie-file.ts';

/** Bytes [start, end) of a file. */
export type ByteRange = { start: number; end: number };

/** What a job needs of a source, so that no more of it is fetched. */
export type SourceView = {
  totalBytes: number;
  known: FileBytes[];
  /** asked for on the way to what is needed, and dropped unread: sent as zeros. Sorted, none touch */
  unseen: ByteRange[];
  /** nothing from here on is needed but a look at what follows; null: all may be */
  untilByte: number | null;
};

export type Piece =
  | { kind: 'known'; bytes: Buffer }
  | { kind: 'unseen'; end: number }
  /** to be fetched; it begins at `start`, which may lie before the position, and goes up to `end` */
  | { kind: 'fetched'; start: number; end: number };

/** What there is at a position, up to where something else begins. */
export function pieceAt({ totalBytes, known, unseen, untilByte }: SourceView, position: number): Piece {
  const here = known.find(({ start, bytes }) => start <= position && position < start + bytes.length);
  if (here) return { kind: 'known', bytes: here.bytes.subarray(position - here.start) };
  const next = firstEndingAfter(unseen, position);
  const range = unseen[next];
  if (range && range.start <= position) return { kind: 'unseen', end: range.end };
  let [start, end] = [unseen[next - 1]?.end ?? 0, range?.start ?? totalBytes];
  for (const { start: knownStart, bytes } of known) {
    if (knownStart > position) end = Math.min(end, knownStart);
    else start = Math.max(start, knownStart + bytes.length);
  }
  if (untilByte !== null && position < untilByte) end = Math.min(end, untilByte);
  return { kind: 'fetched', start, end };
}

/** The index of the first of sorted ranges that ends after a position; their number if none does. */
export function firstEndingAfter(ranges: ByteRange[], position: number): number {
  let [low, high] = [-1, ranges.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.end <= position) low = middle;
    else high = middle;
  }
  return high;
}
