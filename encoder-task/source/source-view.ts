import type { FileBytes } from '../isobmff/movie-file.ts';

/** Bytes [start, end) of a file. */
export type ByteRange = { start: number; end: number };

/** The parts of a source that a job needs, and those that are already known. */
export type SourceView = {
  totalBytes: number;
  known: FileBytes[];
  /** requested by the demuxer but discarded: sent as zeros. Sorted, not touching */
  unneeded: ByteRange[];
  /** from here on, only small reads of headers are expected; null: the whole file may be read */
  untilByte: number | null;
};

export type Piece =
  | { kind: 'known'; bytes: Buffer }
  | { kind: 'unneeded'; end: number }
  /** [start, end) must be fetched; `start` may be before the requested position */
  | { kind: 'stored'; start: number; end: number };

/** The piece at a position. */
export function pieceAt({ totalBytes, known, unneeded, untilByte }: SourceView, position: number): Piece {
  const here = known.find(({ start, bytes }) => start <= position && position < start + bytes.length);
  if (here) return { kind: 'known', bytes: here.bytes.subarray(position - here.start) };
  const next = firstEndingAfter(unneeded, position);
  const range = unneeded[next];
  if (range && range.start <= position) return { kind: 'unneeded', end: range.end };
  let [start, end] = [unneeded[next - 1]?.end ?? 0, range?.start ?? totalBytes];
  for (const { start: knownStart, bytes } of known) {
    if (knownStart > position) end = Math.min(end, knownStart);
    else start = Math.max(start, knownStart + bytes.length);
  }
  if (untilByte !== null && position < untilByte) end = Math.min(end, untilByte);
  return { kind: 'stored', start, end };
}

/** Index of the first range that ends after a position, in sorted ranges; their number when there is none. */
export function firstEndingAfter(ranges: ByteRange[], position: number): number {
  let [low, high] = [-1, ranges.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.end <= position) low = middle;
    else high = middle;
  }
  return high;
}
