import { findBox, needBox } from '../isobmff/boxes.ts';
import { readCodecString } from '../isobmff/codec-string.ts';
import { readEditOffset, readSampleDefaults, readTimescale } from '../isobmff/init-segment.ts';
import { readMediaSegment, type Sample, type SampleDefaults } from '../isobmff/media-segment.ts';
import { canStartAt } from './key-frame.ts';
import { readBytes } from './read-bytes.ts';
import { fileName, type Rendition, type Report, type SegmentFacts } from './rendition.ts';
import { readSampleEntry, type SampleEntry } from './sample-entry.ts';

type Track = {
  entry: SampleEntry;
  codecs: string;
  timescale: number;
  editOffset: number;
  defaults: SampleDefaults;
};
type Read = { facts: SegmentFacts; startTicks: number; endTicks: number; samples: Sample[] };

/**
 * Reads the files of one fragmented track and reports what a decoder would stumble over: holes and overlaps, segments without a key frame at their
 * start, frames off their grid, bytes that are not there. Undefined when not even the init segment can be read.
 */
export async function readFragmented(init: URL, segments: URL[], report: Report): Promise<Rendition | undefined> {
  let track: Track;
  try {
    track = readTrack(needBox(await readBytes(init), 'moov'));
  } catch (error) {
    report(fileName(init), `cannot be read: ${(error as Error).message}`);
    return undefined;
  }
  const read: (Read | null)[] = [];
  for (const url of segments) read.push(await readSegment(url, track, report));
  checkFlow(read, track, report);
  const frameTicks = read.find((segment) => segment !== null)?.samples[0]?.durationTicks;
  const { kind, width, height, sampleAspectRatio, videoRange, channels } = track.entry;
  return {
    ...{ kind, width, height, sampleAspectRatio, videoRange, channels, codecs: [track.codecs] },
    segments: read.map((segment) => segment?.facts ?? null),
    framesPerSecond: kind === 'video' && frameTicks ? track.timescale / frameTicks : null,
  };
}

function readTrack(moov: Buffer): Track {
  const trak = needBox(moov, 'trak');
  return {
    entry: readSampleEntry(trak),
    codecs: readCodecString(moov),
    timescale: readTimescale(moov),
    editOffset: readEditOffset(moov),
    defaults: readSampleDefaults(moov),
  };
}

async function readSegment(url: URL, track: Track, report: Report): Promise<Read | null> {
  const wrong = (what: string): void => report(fileName(url), what);
  try {
    const bytes = await readBytes(url);
    if (!findBox(bytes, 'mdat')?.length) throw new RangeError('it has no media');
    const { decodeStartTicks, durationTicks, samples } = readMediaSegment(bytes, track.defaults);
    const first = samples[0]!;
    for (const { offset, bytes: size } of samples) {
      if (offset + size > bytes.length) throw new RangeError('a frame lies behind its end');
    }
    const head = bytes.subarray(first.offset, first.offset + first.bytes);
    if (track.entry.kind === 'video' && !(first.isSync && canStartAt(head, track.codecs))) {
      wrong('does not start with a key frame');
    }
    const facts = {
      url,
      bytes: bytes.length,
      startSeconds: decodeStartTicks / track.timescale,
      durationSeconds: durationTicks / track.timescale,
      frames: samples.length,
      keyFrameEnd: track.entry.kind === 'video' ? first.offset + first.bytes : null,
    };
    return { facts, startTicks: decodeStartTicks, endTicks: decodeStartTicks + durationTicks, samples };
  } catch (error) {
    wrong(`cannot be read: ${(error as Error).message}`);
    return null;
  }
}

function checkFlow(read: (Read | null)[], { entry, editOffset }: Track, report: Report): void {
  const frameTicks = read.find((segment) => segment !== null)?.samples[0]?.durationTicks ?? 0;
  let end: number | undefined;
  for (const [index, segment] of read.entries()) {
    if (!segment) {
      end = undefined;
      continue;
    }
    const wrong = (what: string): void => report(fileName(segment.facts.url), what);
    if (end !== undefined && segment.startTicks !== end) {
      wrong(`starts at ${segment.startTicks} ticks, the one before ends at ${end}`);
    }
    end = segment.endTicks;
    const isLast = index === read.length - 1;
    const uneven = segment.samples.findIndex(
      (sample, n) => sample.durationTicks !== frameTicks && !(isLast && n === segment.samples.length - 1),
    );
    if (uneven !== -1)
      wrong(`frame ${uneven} lasts ${segment.samples[uneven]!.durationTicks} ticks, not ${frameTicks}`);
    if (entry.kind === 'video') checkShown(segment, frameTicks, editOffset, wrong);
  }
}

/** Frames are shown one by one from the segment's start, in whatever order they are decoded. */
function checkShown(
  { samples, startTicks }: Read,
  frameTicks: number,
  editOffset: number,
  wrong: (what: string) => void,
) {
  const shown = samples.map(({ compositionTicks }) => compositionTicks - editOffset).sort((a, b) => a - b);
  const off = shown.findIndex((ticks, n) => ticks !== startTicks + n * frameTicks);
  if (off !== -1) wrong(`shows a frame at ${shown[off]} ticks instead of ${startTicks + off * frameTicks}`);
}
