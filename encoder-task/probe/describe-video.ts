import { parseRational, rational, toNumber } from '../../shared/media/rational.ts';
import type { Decision } from '../../shared/protocol/decisions.ts';
import type { Hdr10 } from '../../shared/protocol/encode-spec.ts';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';
import {
  type EditShift,
  type FrameIndex,
  maxPictureSide,
  maxPixelAspects,
  maxPixels,
  maxTicks,
  type PixelAspect,
  type VideoTrack,
} from '../../shared/protocol/probe-result.ts';
import { frameTooLarge } from '../ffmpeg/output/frame-size.ts';
import { measureFrameRate } from './frame-rate.ts';
import type { VideoFrames, VideoPackets } from './packet-index.ts';
import { chooseShape, type FrameShape } from './picture/frame-shapes.ts';
import { readSpherical } from './picture/spherical.ts';
import { cropDecision, type VisiblePart } from './picture/visible-part.ts';

type VideoProperties = {
  formatName: string;
  hdr10: Hdr10 | null;
  interlaced: boolean;
  closedCaptions?: boolean;
  editShifts?: EditShift[];
  /** see `readFrameShapes` */
  shapes?: FrameShape[];
  visible?: VisiblePart | undefined;
  transparency?: VideoTrack['transparency'];
};

/**
 * The video track from its headers, packets and first frames, with the index of its frames. Undefined when no frame can
 * be decoded. Throws JobError INPUT_TOO_LARGE.
 */
export function describeVideo(
  stream: ProbeStream,
  { frames, bytes }: VideoPackets,
  {
    formatName,
    hdr10,
    interlaced,
    closedCaptions = false,
    editShifts = [],
    shapes = [],
    visible,
    transparency,
  }: VideoProperties,
): { track: VideoTrack; index: FrameIndex; decisions: Decision[] } | undefined {
  const timeBase = parseRational(stream.time_base);
  if (frames.pts.length === 0 || !timeBase) return undefined;
  const { pts } = frames;
  const startPts = pts[0]!;
  const endPts = endOf(frames, formatName);
  const changing = shapes.length > 0 ? chooseShape(shapes, endPts) : undefined;
  const { width, height } = changing?.chosen ?? visible?.size ?? stream;
  if (!(width && width > 0) || !(height && height > 0)) return undefined;
  if (width * height > maxPixels || Math.max(width, height) > maxPictureSide) throw frameTooLarge(width, height);
  if (!stream.codec_name || !stream.pix_fmt) return undefined;
  const spherical = readSpherical(stream);
  const track: VideoTrack = {
    streamIndex: stream.index,
    codec: stream.codec_name,
    width,
    height,
    sampleAspectRatio:
      changing?.chosen.sampleAspectRatio ??
      visible?.sampleAspectRatio ??
      parseRational(stream.sample_aspect_ratio) ??
      rational(1, 1),
    ...(changing ? { pixelAspects: pixelAspectsOf(shapes) } : visible ? { crop: visible.crop } : {}),
    ...(spherical ? { spherical } : {}),
    rotationDegrees: rotationOf(stream),
    pixelFormat: stream.pix_fmt,
    bitDepth: bitDepthOf(stream),
    ...colorOf(stream),
    hdr10,
    ...(transparency ? { transparency } : {}),
    interlaced: interlaced || ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order ?? ''),
    ...(closedCaptions ? { closedCaptions } : {}),
    timeBase,
    ...measureFrameRate(pts, endPts, timeBase, countsFrames(formatName)),
    ...(editShifts.length > 0 ? { editShifts } : {}),
    startPts,
    endPts,
    frameCount: pts.length,
    bitrateBps: bitrateOf(bytes, (endPts - startPts) * toNumber(timeBase)),
  };
  const index: FrameIndex = {
    ptsDeltas: deltasOf(pts),
    keyFrames: Array.from(pts.keys()).filter((n) => frames.isKey[n] === 1),
    endByteDeltas: deltasOf(frames.endBytes),
  };
  return { track, index, decisions: changing ? [changing.decision] : visible ? [cropDecision(visible)] : [] };
}

/** Without those that are like the one before. */
const pixelAspectsOf = (shapes: FrameShape[]): PixelAspect[] =>
  shapes
    .filter((shape, n) => n === 0 || toNumber(shape.sampleAspectRatio) !== toNumber(shapes[n - 1]!.sampleAspectRatio))
    .slice(0, maxPixelAspects)
    .map(({ fromPts, sampleAspectRatio }) => ({ fromPts, sampleAspectRatio }));

/**
 * AVI has no timestamps. Its clock has one tick per frame, and an empty entry of its index repeats the previous frame.
 */
const countsFrames = (formatName: string): boolean => formatName === 'avi';

/** Null when the timestamps give an impossible value. */
function bitrateOf(bytes: number, seconds: number): number | null {
  const bitrateBps = Math.round((bytes * 8) / seconds);
  return bitrateBps > 0 && bitrateBps <= 1e12 ? bitrateBps : null;
}

const deltasOf = (values: Float64Array): number[] => Array.from(values, (value, n) => value - (values[n - 1] ?? 0));

/**
 * The duration of the last frame is that of its packet, otherwise that of the previous frame. The duration of a sample
 * of MP4 or QuickTime is the distance to the next decode time (ISO/IEC 14496-12, 8.6.1.2), so that of a reordered frame
 * says nothing about its presentation.
 */
function endOf({ pts, lastDurationTicks, lastIsReordered }: VideoFrames, formatName: string): number {
  const last = pts.at(-1)!;
  const previousTicks = last - (pts.at(-2) ?? last);
  const isDecodeDistance = lastIsReordered && /\b(mov|mp4)\b/.test(formatName);
  const ticks = isDecodeDistance && previousTicks > 0 ? Math.min(lastDurationTicks, previousTicks) : lastDurationTicks;
  return Math.min(last + (ticks || previousTicks || 1), maxTicks);
}

/** Clockwise rotation for display. The display matrix is counterclockwise. */
function rotationOf(stream: ProbeStream): VideoTrack['rotationDegrees'] {
  const matrix = stream.side_data_list?.find((entry) => entry.rotation !== undefined)?.rotation;
  const clockwise = matrix === undefined ? Number(stream.tags?.rotate ?? 0) : -matrix;
  const quarters = Math.round((clockwise || 0) / 90);
  return ([0, 90, 180, 270] as const)[((quarters % 4) + 4) % 4]!;
}

function bitDepthOf({ bits_per_raw_sample, pix_fmt }: ProbeStream): number {
  const bits = Number(bits_per_raw_sample) || Number(/p(\d\d)(le|be)?$/.exec(pix_fmt ?? '')?.[1]) || 8;
  return Math.min(Math.max(bits, 1), 16);
}

function colorOf(stream: ProbeStream) {
  const known = (value: string | undefined): string | null =>
    value && !['unknown', 'unspecified', 'reserved'].includes(value) ? value : null;
  return {
    colorPrimaries: known(stream.color_primaries),
    colorTransfer: known(stream.color_transfer),
    colorSpace: known(stream.color_space),
    colorRange: known(stream.color_range),
  };
}
