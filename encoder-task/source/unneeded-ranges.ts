import type { Movie } from '../isobmff/movie.ts';
import { keyFlag } from '../isobmff/sample-list.ts';
import type { ByteRange } from './source-view.ts';

/** Which samples a job's ffmpeg decodes: all of one stream, or its key frames. */
export type Wanted = { streamIndex: number; keyFramesOnly: boolean };

/** A look at every stream comes first, whichever is wanted. FFmpeg takes up to 20 frames of each for it. */
const lookedAtSamples = 24;
/** Each run that is left out costs a request more. As few are made as this share of the file allows. */
const bearableShare = 0.1;
const shortestBytes = [512, 256, 128, 64, 32, 16, 8].map((kilobytes) => kilobytes * 1024);

/**
 * Byte ranges that hold nothing but samples that the demuxer drops unread: video that is not wanted, and of the wanted stream what is no key frame if
 * that is all. Whatever is not certain to be such a sample is left in. Sorted, none touch.
 */
export function unseenRanges({ tracks, file }: Movie, wanted: Wanted): ByteRange[] {
  const dropped: ByteRange[] = [];
  const kept: ByteRange[] = [];
  for (const [streamIndex, { kind, samples }] of tracks.entries()) {
    const isWanted = streamIndex === wanted.streamIndex;
    for (let n = 0; n < samples.length; n++) {
      const isKey = (samples.flags[n]! & keyFlag) !== 0;
      const isDropped =
        n >= lookedAtSamples && (isWanted ? wanted.keyFramesOnly && !isKey : kind === 'video' || wanted.keyFramesOnly);
      extend(isDropped ? dropped : kept, samples.positions[n]!, samples.positions[n]! + samples.bytes[n]!);
    }
  }
  // lists may lie and lay one sample over another: what is wanted by one is fetched
  return longEnough(withoutKept(joined(dropped), joined(kept)), file.totalBytes);
}

function longEnough(ranges: ByteRange[], totalBytes: number): ByteRange[] {
  for (const shortest of shortestBytes) {
    const long = ranges.filter(({ start, end }) => end - start >= shortest);
    const left = long.reduce((bytes, { start, end }) => bytes - (end - start), totalBytes);
    if (left <= totalBytes * bearableShare || shortest === shortestBytes.at(-1)) return long;
  }
  return [];
}

/** Samples mostly lie one after another, so that there are far fewer ranges than samples. */
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
