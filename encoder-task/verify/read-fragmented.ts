import type { Sample } from 'mp4box';
import { editOffset, movieBox, parseBoxes } from './parse-boxes.ts';
import { readBytes } from './read-bytes.ts';
import { fileName, type Rendition, type Report, type SegmentProperties } from './rendition.ts';
import { readSampleEntry, type SampleEntry } from './sample-entry.ts';

type Track = { init: Buffer; id: number; entry: SampleEntry; codecs: string; timescale: number; editOffset: number };
type Segment = { properties: SegmentProperties; startTicks: number; endTicks: number; samples: Sample[] };

/**
 * Reads the files of one fragmented track and reports what a decoder would fail on: gaps and overlaps, segments that do
 * not start with a key frame, frames at wrong times, missing bytes. Undefined when the init segment cannot be read.
 */
export async function readFragmented(init: URL, segments: URL[], report: Report): Promise<Rendition | undefined> {
  let track: Track;
  try {
    track = readTrack(await readBytes(init), (what) => report(fileName(init), what));
  } catch (error) {
    report(fileName(init), `cannot be read: ${(error as Error).message}`);
    return undefined;
  }
  const read: (Segment | null)[] = [];
  for (const url of segments) read.push(await readSegment(url, track, report));
  checkTimeline(read, track, report);
  const frameTicks = read.find((segment) => segment !== null)?.samples[0]?.duration;
  const { kind, width, height, sampleAspectRatio, videoRange, channels } = track.entry;
  return {
    kind,
    width,
    height,
    sampleAspectRatio,
    videoRange,
    channels,
    codecs: [track.codecs],
    segments: read.map((segment) => segment?.properties ?? null),
    framesPerSecond: kind === 'video' && frameTicks ? track.timescale / frameTicks : null,
  };
}

function readTrack(init: Buffer, wrong: (what: string) => void): Track {
  const file = parseBoxes(init);
  if (!file.ftyp?.compatible_brands.includes('cmfc')) wrong('has no brand of CMAF');
  const trak = movieBox(file).traks[0]!;
  const entry = readSampleEntry(trak);
  return {
    init,
    id: trak.tkhd.track_id,
    entry,
    // RFC 6381 registers opus in lower case; the sample entry is called Opus
    codecs: file.getInfo().tracks[0]!.codec.replace('Opus', 'opus') + entry.codecFields,
    timescale: trak.mdia.mdhd.timescale,
    editOffset: editOffset(trak),
  };
}

async function readSegment(url: URL, track: Track, report: Report): Promise<Segment | null> {
  const wrong = (what: string): void => report(fileName(url), what);
  try {
    const bytes = await readBytes(url);
    const samples = samplesOf(bytes, track);
    const [first, last] = [samples[0]!, samples.at(-1)!];
    const endTicks = last.dts + last.duration;
    const isVideo = track.entry.kind === 'video';
    if (
      isVideo &&
      !(first.is_sync && canStartAt(bytes.subarray(first.offset, first.offset + first.size), track.codecs))
    ) {
      wrong('does not start with a key frame');
    }
    const properties = {
      url,
      bytes: bytes.length,
      startSeconds: first.dts / track.timescale,
      durationSeconds: (endTicks - first.dts) / track.timescale,
      frames: samples.length,
      keyFrameEnd: isVideo ? first.offset + first.size : null,
    };
    return { properties, startTicks: first.dts, endTicks, samples };
  } catch (error) {
    wrong(`cannot be read: ${(error as Error).message}`);
    return null;
  }
}

/** The samples of a segment in decode order; `offset` counts from the segment's first byte. */
function samplesOf(bytes: Buffer, { init, id }: Track): Sample[] {
  const file = parseBoxes(init, bytes);
  if (!file.boxes.some(({ type, size, start = 0 }) => type === 'mdat' && start >= init.length && size > 8)) {
    throw new RangeError('it has no media');
  }
  const samples = file.getTrackSamplesInfo(id).map((sample) => ({ ...sample, offset: sample.offset - init.length }));
  if (samples.length === 0) throw new RangeError('no samples');
  for (const [n, { offset, size, dts }] of samples.entries()) {
    if (offset + size > bytes.length) throw new RangeError('a frame is outside the segment');
    const before = samples[n - 1];
    if (before && dts !== before.dts + before.duration) {
      throw new RangeError(
        `a fragment starts at ${dts} ticks, the previous one ends at ${before.dts + before.duration}`,
      );
    }
  }
  return samples;
}

function checkTimeline(segments: (Segment | null)[], { entry, editOffset: shift }: Track, report: Report): void {
  const frameTicks = segments.find((segment) => segment !== null)?.samples[0]?.duration ?? 0;
  let end: number | undefined;
  for (const [index, segment] of segments.entries()) {
    if (!segment) {
      end = undefined;
      continue;
    }
    const wrong = (what: string): void => report(fileName(segment.properties.url), what);
    if (end !== undefined && segment.startTicks !== end) {
      wrong(`starts at ${segment.startTicks} ticks, the previous segment ends at ${end}`);
    }
    end = segment.endTicks;
    const isLast = index === segments.length - 1;
    const uneven = segment.samples.findIndex(
      ({ duration }, n) => duration !== frameTicks && !(isLast && n === segment.samples.length - 1),
    );
    if (uneven !== -1) wrong(`frame ${uneven} lasts ${segment.samples[uneven]!.duration} ticks, not ${frameTicks}`);
    if (entry.kind === 'video') checkPresentation(segment, frameTicks, shift, wrong);
  }
}

/**
 * The presentation times of a segment's frames are evenly spaced from its start, in whatever order the frames are
 * decoded.
 */
function checkPresentation(
  { samples, startTicks }: Segment,
  frameTicks: number,
  shift: number,
  wrong: (what: string) => void,
): void {
  const times = samples.map(({ cts }) => cts - shift).sort((a, b) => a - b);
  const off = times.findIndex((ticks, n) => ticks !== startTicks + n * frameTicks);
  if (off !== -1) wrong(`shows a frame at ${times[off]} ticks instead of ${startTicks + off * frameTicks}`);
}

/**
 * Whether a decoder can start at this sample, by its NAL units and not by flags: an IDR picture of H.264, an IRAP
 * picture of HEVC. True for other codecs, which are not examined.
 */
function canStartAt(sample: Buffer, codecs: string): boolean {
  if (codecs.startsWith('avc')) return nalUnits(sample).some((unit) => (unit[0]! & 0x1f) === 5);
  if (codecs.startsWith('hvc') || codecs.startsWith('hev')) {
    return nalUnits(sample).some((unit) => {
      const type = (unit[0]! >> 1) & 0x3f;
      return type >= 16 && type <= 21;
    });
  }
  return true;
}

/** NAL units after lengths of four bytes (ISO/IEC 14496-15, 4.3). */
function nalUnits(sample: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 < sample.length; ) {
    const length = sample.readUInt32BE(at);
    units.push(sample.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return units.filter((unit) => unit.length > 0);
}
