import * as z from 'zod';
import { parseRational, type Rational, rational, toNumber } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import { keyFrameArgs, type ProbeInput, seekReach } from '../../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../../ffmpeg/run-ffprobe.ts';
import type { ProcessContext } from '../../runtime/run-process.ts';
import type { VideoFrames } from '../packet-index.ts';

/** Size and pixel aspect ratio of the frames from `fromPts` on, in ticks of the track. */
export type FrameShape = { fromPts: number; width: number; height: number; sampleAspectRatio: Rational };

/** Containers of calls, recordings and broadcasts. Their headers describe the first frames. */
const changingFormats = /^(matroska|mpegts|mpeg$|flv)/;
/** Codecs whose key frames have a size of their own. */
const changingCodecs = new Set(['vp8', 'vp9', 'av1', 'h264', 'hevc', 'mpeg1video', 'mpeg2video']);
/** Sample entries of MP4 that allow parameter sets in the samples. */
const changingEntries = new Set(['avc3', 'hev1']);

/** Whether the frames may have other sizes than the header says. For MP4 see `changesParameters` too. */
export const mayChangeShape = ({ codec_name, codec_tag_string }: ProbeStream, formatName: string): boolean =>
  changingCodecs.has(codec_name ?? '') &&
  (changingFormats.test(formatName) || changingEntries.has(codec_tag_string ?? ''));

/** A change of the size shows in one of so many key frames, unless it lasts for less than 2 % of the video. */
const firstSamples = 48;
/** Halves the distance between two key frames that differ. Enough to find a change among 48 × 2^10 key frames. */
const maxRounds = 10;

/**
 * The shapes of the frames, by decoding some of the key frames: first some that are evenly spaced, then those between
 * two that differ. Empty when they show no change.
 */
export async function readFrameShapes(
  context: ProcessContext,
  input: ProbeInput,
  { stream, formatName }: { stream: ProbeStream; formatName: string },
  { pts, isKey }: VideoFrames,
): Promise<FrameShape[]> {
  const keyPts = pts.filter((_, n) => isKey[n] === 1);
  const timeBase = parseRational(stream.time_base);
  if (keyPts.length < 2 || !timeBase) return [];
  const seconds = (ticks: number): number => ticks * toNumber(timeBase);
  const reach = seekReach(formatName, pts.length / seconds(pts.at(-1)! - pts[0]!));
  const known = new Map<number, FrameShape>();
  const asked = new Set<number>();
  let next = evenly(keyPts.length);
  for (let round = 0; round <= maxRounds && next.length > 0; round++) {
    for (const key of next) asked.add(key);
    const atSeconds = next.map((key) => seconds(keyPts[key]!));
    const { document } = await runFfprobe(
      context,
      keyFrameArgs(input, { streamIndex: stream.index, atSeconds, reach }),
    );
    for (const shape of shapesIn(document)) {
      const key = nearest(keyPts, shape.fromPts);
      known.set(key, { ...shape, fromPts: keyPts[key]! });
    }
    next = between(known).filter((key) => !asked.has(key));
  }
  const shapes = [...known].sort(([a], [b]) => a - b).map(([, shape]) => shape);
  const changes = shapes.filter((shape, n) => n === 0 || !isSame(shape, shapes[n - 1]!));
  return changes.length > 1 ? changes : [];
}

/** Positions of the first samples. */
function evenly(count: number): number[] {
  const samples = Math.min(firstSamples, count);
  return [...new Set(Array.from({ length: samples }, (_, n) => Math.round((n * (count - 1)) / (samples - 1))))];
}

/** Positions in the middle between neighbours that differ. */
function between(known: Map<number, FrameShape>): number[] {
  const sorted = [...known].sort(([a], [b]) => a - b);
  return sorted.slice(1).flatMap(([key, shape], n) => {
    const [before, shapeBefore] = sorted[n]!;
    return key - before > 1 && !isSame(shape, shapeBefore) ? [Math.floor((before + key) / 2)] : [];
  });
}

const isSame = (a: FrameShape, b: FrameShape): boolean =>
  a.width === b.width && a.height === b.height && toNumber(a.sampleAspectRatio) === toNumber(b.sampleAspectRatio);

function nearest(sorted: Float64Array, pts: number): number {
  const after = sorted.findIndex((each) => each >= pts);
  if (after === -1) return sorted.length - 1;
  return after > 0 && pts - sorted[after - 1]! < sorted[after]! - pts ? after - 1 : after;
}

const side = z
  .int()
  .min(1)
  .max(2 ** 16);
const framesSchema = z.object({
  frames: z.array(
    z.object({
      best_effort_timestamp: z.int(),
      width: side,
      height: side,
      sample_aspect_ratio: z.string().optional(),
    }),
  ),
});

/** Reads the output of `keyFrameArgs`. */
function shapesIn(document: unknown): FrameShape[] {
  const parsed = framesSchema.safeParse(document);
  if (!parsed.success) return [];
  return parsed.data.frames.map(({ best_effort_timestamp, width, height, sample_aspect_ratio }) => ({
    fromPts: best_effort_timestamp,
    width,
    height,
    sampleAspectRatio: parseRational(sample_aspect_ratio) ?? rational(1, 1),
  }));
}

/** A larger frame is chosen when it lasts at least this share of the time that the most common one lasts. */
const minShare = 0.5;

/**
 * The frame into which all others are fitted: of those that last about as long as the most common one, the largest.
 */
export function chooseShape(shapes: FrameShape[], endPts: number): { chosen: FrameShape; decision: Decision } {
  const totalTicks = Math.max(1, endPts - shapes[0]!.fromPts);
  const sizes = new Map<string, { shape: FrameShape; share: number }>();
  for (const [n, shape] of shapes.entries()) {
    const share = ((shapes[n + 1]?.fromPts ?? endPts) - shape.fromPts) / totalTicks;
    const size = sizes.get(sizeText(shape));
    if (size) size.share += share;
    else sizes.set(sizeText(shape), { shape, share });
  }
  const byShare = [...sizes.values()].sort((a, b) => b.share - a.share);
  const candidates = byShare.filter(({ share }) => share >= minShare * byShare[0]!.share);
  const { shape: chosen, share } = candidates.reduce((a, b) => (pixelsOf(b.shape) > pixelsOf(a.shape) ? b : a));
  const decision = {
    code: 'frame_size_chosen' as const,
    message: `The frame size changes. The video has ${sizeText(chosen)} pixels, as ${percent(share)} of the source; other frames are fitted into them.`,
    facts: {
      size: sizeText(chosen),
      sizes: byShare.slice(0, 20).map(({ shape }) => sizeText(shape)),
      shares: byShare.slice(0, 20).map((each) => Math.round(each.share * 1000) / 1000),
    },
  };
  return { chosen, decision };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The size as displayed. */
const sizeText = ({ width, height, sampleAspectRatio }: FrameShape): string =>
  `${Math.round(width * toNumber(sampleAspectRatio))} × ${height}`;

const pixelsOf = ({ width, height, sampleAspectRatio }: FrameShape): number =>
  width * height * toNumber(sampleAspectRatio);
