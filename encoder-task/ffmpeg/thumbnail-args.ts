import { preRollSeconds, seeksByIndex } from '../../shared/media/seek.ts';
import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import { type PosterSpec, type PreviewSpec, previewFile, type ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import { exactScaling, filterMatrix, isHdr, isRgbPicture, toneMapFilters } from './color.ts';
import { decoderArgs, probingArgs, sameGraphArgs, untrustedInputArgs } from './input-args.ts';
import { sourcePicture } from './source-picture.ts';
import { deinterlace, lastFrameTwice, shiftEdits } from './video-graph.ts';

type Input = { source: VideoSource; sourceUrl: string };
/** `atSeconds`: source time; null means the first frame */
type Still = Input & { atSeconds: number | null };
type Image = Pick<PosterSpec, 'width' | 'height' | 'format'>;
type Sprite = NonNullable<ThumbnailsSpec['sprite']>;
type ImageFormat = PosterSpec['format'];

/** argv that writes the frame at `atSeconds` (null: the first frame) to a file. */
export function imageArgs(still: Still, { width, height, format }: Image, file: string): string[] {
  const { input, filters } = framesFrom(still);
  const graph = [...filters, ...imageFilters(still.source, width, height), imagePixels(format)];
  return [
    ...input,
    ...['-filter_complex', `[0:${still.source.streamIndex}]${graph.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-frames:v', '1', ...imageEncoder(format)],
    ...['-f', 'image2', '-update', '1', file],
  ];
}

/** argv that writes one part of a preview, uncompressed: its parts are encoded together, and more than once. */
export function previewPartArgs(still: Still, preview: PreviewSpec, file: string): string[] {
  const { partSeconds, framesPerSecond, width, height, format } = preview;
  const frames = Math.max(1, Math.round(partSeconds * framesPerSecond));
  const { input, filters } = framesFrom(still);
  const graph = [
    ...filters,
    'setpts=PTS-STARTPTS',
    lastFrameTwice,
    `fps=fps=${framesPerSecond}:round=near:eof_action=pass:start_time=0`,
    `trim=end_frame=${frames}`,
    ...imageFilters(still.source, width, height),
    format === 'mp4' ? videoPixels : imagePixels(format),
  ];
  return [
    ...input,
    ...['-filter_complex', `[0:${still.source.streamIndex}]${graph.join(',')}[part]`],
    ...['-map', '[part]', '-frames:v', String(frames), '-f', 'rawvideo', file],
  ];
}

/** Reads the parts of a preview one after the other. `quality` is one of `previewQualities`. */
export function previewArgs(preview: PreviewSpec, parts: string[], { value, keepsEvery }: PreviewQuality): string[] {
  const { framesPerSecond, width, height, format } = preview;
  const rate = `${framesPerSecond}/${keepsEvery}`;
  return [
    ...['-protocol_whitelist', 'concat,file', '-f', 'rawvideo', '-pixel_format', 'yuv420p'],
    ...['-video_size', `${width}x${height}`, '-framerate', String(framesPerSecond), '-i', `concat:${parts.join('|')}`],
    ...['-vf', `fps=fps=${rate}`, '-map_metadata', '-1'],
    ...(format === 'webp'
      ? ['-c:v', 'libwebp_anim', '-quality', String(value), '-loop', '0']
      : ['-c:v', 'libx264', '-preset', 'medium', '-crf', String(value), '-movflags', '+faststart', ...bt709]),
    ...['-fflags', '+bitexact', '-f', format, previewFile(preview)],
  ];
}

const bt709 = ['-color_range', 'tv', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];

/** `keepsEvery` second frame, for example. */
export type PreviewQuality = { value: number; keepsEvery: number };

/** From the usual quality down to one with which noise has less than the size limit. */
export const previewQualities: Record<PreviewSpec['format'], PreviewQuality[]> = {
  webp: [
    { value: 70, keepsEvery: 1 },
    { value: 45, keepsEvery: 1 },
    { value: 20, keepsEvery: 1 },
    { value: 20, keepsEvery: 2 },
    { value: 0, keepsEvery: 4 },
  ],
  mp4: [
    { value: 26, keepsEvery: 1 },
    { value: 32, keepsEvery: 1 },
    { value: 38, keepsEvery: 1 },
    { value: 44, keepsEvery: 2 },
    { value: 51, keepsEvery: 4 },
  ],
};

/** The input, and the filters that return its upright frames from `atSeconds` on (null: from the first frame). */
function framesFrom({ source, sourceUrl, atSeconds }: Still): { input: string[]; filters: string[] } {
  const edits = shiftEdits(source);
  // frames of edits are counted from the first one
  const seekSeconds =
    atSeconds === null || edits.length > 0 ? null : atSeconds - (seeksByIndex(source.formatName) ? 0 : preRollSeconds);
  return {
    input: [
      ...untrustedInputArgs,
      ...probingArgs(source.probeBytes),
      '-copyts',
      // noaccurate_seek: the trim filter cuts, because ffmpeg's seek is inexact when the times of a file do not start
      // at 0
      ...(seekSeconds === null ? [] : ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)]),
      ...(edits.length > 0 || source.pixelAspects ? sameGraphArgs : []),
      ...decoderArgs(source),
      ...['-i', sourceUrl],
    ],
    filters: [
      ...sourcePicture(source),
      ...edits,
      ...(atSeconds === null ? [] : [`trim=start=${atSeconds.toFixed(6)}`]),
      ...deinterlace(source),
    ],
  };
}

/**
 * argv that writes the sprite sheets `sprite-001.<format>` and following. Each tile is the decoded frame closest to its
 * time, from key frames if there are enough.
 */
export function spriteArgs({ source, sourceUrl }: Input, sprite: Sprite): string[] {
  const filters = [
    ...sourcePicture(source),
    `setpts=PTS-(${sprite.startSeconds.toFixed(6)})/TB`,
    lastFrameTwice,
    `fps=fps=1/${sprite.intervalSeconds}:round=near:eof_action=pass:start_time=0`,
    // the last key frame is before the end of the video
    'tpad=stop=-1:stop_mode=clone',
    `trim=end_frame=${sprite.tiles}`,
    // not deinterlaced: combing is not visible at the size of a tile
    ...imageFilters(source, sprite.tileWidth, sprite.tileHeight),
    imagePixels(sprite.format),
    `tile=${sprite.columns}x${sprite.rows}`,
  ];
  return [
    ...untrustedInputArgs,
    ...probingArgs(source.probeBytes),
    '-copyts',
    // skip_frame makes the decoder skip other frames; discard makes some demuxers skip reading them
    ...(sprite.decodesAll ? [] : ['-skip_frame', 'nokey', '-discard', 'nokey']),
    ...sameGraphArgs,
    ...decoderArgs(source),
    ...['-i', sourceUrl, '-filter_complex', `[0:${source.streamIndex}]${filters.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-fps_mode', 'passthrough', '-frames:v', String(sprite.sheets)],
    ...[...imageEncoder(sprite.format), '-f', 'image2', '-start_number', '1', `sprite-%03d.${sprite.format}`],
  ];
}

function imageFilters(source: VideoSource, width: number, height: number): string[] {
  // zscale can also output floating-point RGB, which scale turns into black
  const toneMap = isHdr(source) ? [...toneMapFilters(source), 'format=yuv420p'] : [];
  return [...colorMatrix(source), `scale=${width}:${height}`, ...toneMap, 'setsar=1'];
}

/** Frames of a source without tags get the matrix that was decided for all of its renditions. */
const colorMatrix = (source: VideoSource): string[] => {
  const name = filterMatrix(source.colorSpace);
  return name === undefined || isRgbPicture(source) ? [] : [`setparams=colorspace=${name}`];
};

/** Readers of JPEG and WebP expect the matrix of BT.601, JPEG in full range and WebP in limited range. */
const imagePixels = (format: ImageFormat): string =>
  [
    `scale=out_color_matrix=bt601:${exactScaling}`,
    format === 'jpg' ? 'scale=out_range=pc,format=yuvj420p' : 'scale=out_range=tv,format=yuv420p',
  ].join(',');

const videoPixels = `scale=out_color_matrix=bt709:out_range=tv:${exactScaling},format=yuv420p`;

const imageEncoder = (format: ImageFormat): string[] =>
  format === 'jpg' ? ['-c:v', 'mjpeg', '-q:v', '3'] : ['-c:v', 'libwebp', '-quality', '80'];
