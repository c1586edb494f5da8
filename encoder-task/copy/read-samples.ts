import type { MovieTrack } from '../isobmff/track.ts';
import type { Source } from '../source/open-source.ts';
import { NotCopyable } from './not-copyable.ts';

type ByteSpan = { start: number; end: number };

/** Unused bytes between samples, such as those of audio, are read as well if they are fewer than a request costs. */
const maxGapBytes = 64 * 1024;
/** The size of a request that succeeds also on a slow connection. */
const maxReadBytes = 8 * 2 ** 20;
const parallelReads = 8;
/** Of a segment: more than twenty seconds at a hundred megabits a second. */
const maxSegmentBytes = 256 * 2 ** 20;

/** The bytes of the samples [first, after) of a track, in decoding order. Throws NotCopyable for impossible sizes. */
export async function readSamples(
  source: Pick<Source, 'read' | 'totalBytes'>,
  { samples }: Pick<MovieTrack, 'samples'>,
  first: number,
  after: number,
): Promise<Buffer[]> {
  const spanOf = (sample: number): ByteSpan => ({
    start: samples.positions[sample]!,
    end: samples.positions[sample]! + samples.bytes[sample]!,
  });
  const wanted = Array.from({ length: after - first }, (_, n) => spanOf(first + n));
  const isImpossible = wanted.some(({ start, end }) => end <= start || end > source.totalBytes);
  const bytes = wanted.reduce((sum, { start, end }) => sum + end - start, 0);
  if (isImpossible || bytes > maxSegmentBytes) throw new NotCopyable('damage', 'samples of an impossible size');
  const spans = joined(wanted);
  const read: Buffer[] = [];
  for (let at = 0; at < spans.length; at += parallelReads) {
    const next = spans.slice(at, at + parallelReads);
    read.push(...(await Promise.all(next.map(({ start, end }) => source.read(start, end)))));
  }
  return wanted.map(({ start, end }) => {
    const at = spans.findLastIndex((span) => span.start <= start);
    const from = start - spans[at]!.start;
    return read[at]!.subarray(from, from + end - start);
  });
}

/** The spans to read: sorted, without short gaps, and not longer than a read, unless a sample is. */
function joined(wanted: ByteSpan[]): ByteSpan[] {
  const spans: ByteSpan[] = [];
  for (const { start, end } of wanted.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    const isNear = last && start - last.end <= maxGapBytes && Math.max(end, last.end) - last.start <= maxReadBytes;
    if (last && isNear) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}
