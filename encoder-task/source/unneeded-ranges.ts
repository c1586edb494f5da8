import type { Movie } from '../isobmff/movie.ts';
import { keyFlag } from '../isobmff/sample-list.ts';
import type { ByteRange } from './source-view.ts';

/** The samples that a job decodes: all of some streams, or only their key frames. */
export type DecodedSamples = { streamIndexes: readonly number[]; keyFramesOnly: boolean };

/** FFmpeg first probes every stream, with up to 20 frames of each. */
const probedSamples = 24;
/**
 * Each skipped range costs an additional request. Only long ranges are skipped, unless more than this share of the file
 * would be fetched.
 */
const maxFetchedShare = 0.1;
const minRangeBytes = [512, 256, 128, 64, 32, 16, 8].map((kilobytes) => kilobytes * 1024);
/**
 * Bytes from a store in the same network are free and fast: reading across a shorter range takes less time than the
 * request that skips it. The audio of ten minutes of video would take thousands of requests.
 */
const minRangeBytesNearStore = 256 * 1024;

/**
 * Byte ranges with only samples that the demuxer discards: other video, and, when only key frames are decoded, the
 * other frames. Everything else is kept. The ranges are sorted and do not touch.
 */
export function unneededRanges(
  { tracks, file }: Movie,
  decoded: DecodedSamples,
  { isNearStore = false }: { isNearStore?: boolean | undefined } = {},
): ByteRange[] {
  const dropped: ByteRange[] = [];
  const kept: ByteRange[] = [];
  for (const [streamIndex, { kind, samples }] of tracks.entries()) {
    const isDecoded = decoded.streamIndexes.includes(streamIndex);
    for (let n = 0; n < samples.length; n++) {
      const isKey = (samples.flags[n]! & keyFlag) !== 0;
      const isDropped =
        n >= probedSamples && (isDecoded ? decoded.keyFramesOnly && !isKey : kind === 'video' || decoded.keyFramesOnly);
      extend(isDropped ? dropped : kept, samples.positions[n]!, samples.positions[n]! + samples.bytes[n]!);
    }
  }
  // in invalid files samples overlap: bytes that one sample needs are fetched
  const lengths = minRangeBytes.filter((bytes) => !isNearStore || bytes >= minRangeBytesNearStore);
  return longEnough(withoutKept(joined(dropped), joined(kept)), { totalBytes: file.totalBytes, lengths });
}

/** The ranges that are skipped: with the greatest of the lengths that leaves little to fetch, or else the smallest. */
function longEnough(ranges: ByteRange[], { totalBytes, lengths }: { totalBytes: number; lengths: number[] }) {
  let long = ranges;
  for (const shortest of lengths) {
    long = ranges.filter(({ start, end }) => end - start >= shortest);
    const left = long.reduce((bytes, { start, end }) => bytes - (end - start), totalBytes);
    if (left <= totalBytes * maxFetchedShare) return long;
  }
  return long;
}

/** Most samples are adjacent, so that there are far fewer ranges than samples. */
function extend(ranges: ByteRange[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last?.end === start) last.end = end;
  else ranges.push({ start, end });
}

function joined(ranges: ByteRange[]): ByteRange[] {
  const result: ByteRange[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

function withoutKept(dropped: ByteRange[], kept: ByteRange[]): ByteRange[] {
  const result: ByteRange[] = [];
  let next = 0;
  for (const { start, end } of dropped) {
    let from = start;
    while (next < kept.length && kept[next]!.end <= from) next += 1;
    for (let n = next; n < kept.length && kept[n]!.start < end; n++) {
      if (kept[n]!.start > from) result.push({ start: from, end: kept[n]!.start });
      from = Math.max(from, kept[n]!.end);
    }
    if (from < end) result.push({ start: from, end });
  }
  return result;
}
