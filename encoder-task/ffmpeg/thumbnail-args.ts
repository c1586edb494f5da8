import { preRollSeconds, seeksByIndex } from '../../shared/media/seek.ts';
import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import type { PosterSpec, ThumbnailsSpec } from '../../shared/protocol/jobs.ts';
import { exactScaling, filterMatrix, isHdr, isRgbPicture, toneMapFilters } from './color.ts';
import { decoderArgs, probingArgs, sameGraphArgs, seekArgs, untrustedInputArgs } from './input-args.ts';
import { changedPicture, changes, sourcePicture } from './source-picture.ts';
import { lastFrameTwice, pictureFrom, shiftEdits } from './video-graph.ts';
import { type PictureColor, watermarkOnImage } from './watermark.ts';

type Input = { source: VideoSource; sourceUrl: string };
/** `atSeconds`: source time; null means the first frame */
export type Still = Input & { atSeconds: number | null };
/** The source time of the first frame that may be shown; null where that is the first one of the file. */
export const firstSeconds = ({ part }: VideoSource): number | null => part?.startSeconds ?? null;

type Image = Pick<PosterSpec, 'width' | 'height' | 'format'>;
type Sprite = NonNullable<ThumbnailsSpec['sprite']>;
type ImageFormat = PosterSpec['format'];

/** argv that writes the frame at `atSeconds` (null: the first frame) to a file. */
export function imageArgs(still: Still, { width, height, format }: Image, file: string): string[] {
  const { input, filters } = framesFrom(still);
  const graph = [
    ...filters,
    ...imageFilters(still.source, width, height),
    imagePixels(format),
    ...watermarkOnImage(still.source, { width, height }, imageColor(format)),
  ];
  return [
    ...input,
    ...['-filter_complex', `[0:${still.source.streamIndex}]${graph.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-frames:v', '1', ...imageEncoder(format)],
    ...['-f', 'image2', '-update', '1', file],
  ];
}

/** Where to start decoding for frames from a source time on. Frames of edits are counted from the first one. */
const seekSeconds = ({ formatName, editShifts }: VideoSource, atSeconds: number | null): number | null =>
  atSeconds === null || editShifts ? null : atSeconds - (seeksByIndex(formatName) ? 0 : preRollSeconds);

/** The input, and the filters that return its upright frames from `atSeconds` on (null: from the first frame). */
export function framesFrom({ source, sourceUrl, atSeconds }: Still): { input: string[]; filters: string[] } {
  const edits = shiftEdits(source);
  return {
    input: [
      ...untrustedInputArgs,
      ...probingArgs(source.probeBytes),
      '-copyts',
      ...seekArgs(seekSeconds(source, atSeconds)),
      ...(edits.length > 0 || source.pixelAspects ? sameGraphArgs : []),
      ...decoderArgs(source),
      ...['-i', sourceUrl],
    ],
    filters: [
      ...sourcePicture(source),
      ...edits,
      ...(atSeconds === null ? changedPicture(source) : pictureFrom(source, `trim=start=${atSeconds.toFixed(6)}`)),
    ],
  };
}

/**
 * argv that writes the sprite sheets `sprite-001.<format>` and following. Each tile is the decoded frame closest to its
 * time, from key frames if there are enough.
 */
export function spriteArgs({ source, sourceUrl }: Input, sprite: Sprite): string[] {
  const { part } = source;
  const sinceStart = `PTS-(${sprite.startSeconds.toFixed(6)})/TB`;
  const filters = [
    ...sourcePicture(source),
    // the frames of edits are counted, so all of them must be decoded
    ...(part && sprite.decodesAll ? shiftEdits(source) : []),
    ...(part ? [`trim=start=${part.startSeconds.toFixed(6)}:end=${part.endSeconds.toFixed(6)}`] : []),
    // not deinterlaced: combing is not visible at the size of a tile
    ...changes(source),
    lastFrameTwice,
    // A picture that is held from before the part is its first one. Where it is the only one, it must end later than it
    // begins: fps drops it otherwise.
    part ? `setpts='max(gt(N,0),${sinceStart})'` : `setpts=${sinceStart}`,
    `fps=fps=1/${sprite.intervalSeconds}:round=near:eof_action=pass:start_time=0`,
    // the last key frame is before the end of the video
    'tpad=stop=-1:stop_mode=clone',
    `trim=end_frame=${sprite.tiles}`,
    ...imageFilters(source, sprite.tileWidth, sprite.tileHeight),
    imagePixels(sprite.format),
    ...watermarkOnImage(source, { width: sprite.tileWidth, height: sprite.tileHeight }, imageColor(sprite.format)),
    `tile=${sprite.columns}x${sprite.rows}`,
  ];
  return [
    ...untrustedInputArgs,
    ...probingArgs(source.probeBytes),
    '-copyts',
    // skip_frame makes the decoder skip other frames; discard makes some demuxers skip reading them
    ...(sprite.decodesAll ? [] : ['-skip_frame', 'nokey', '-discard', 'nokey']),
    ...seekArgs(seekSeconds(source, part?.startSeconds ?? null)),
    ...sameGraphArgs,
    ...decoderArgs(source),
    ...['-i', sourceUrl, '-filter_complex', `[0:${source.streamIndex}]${filters.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-fps_mode', 'passthrough', '-frames:v', String(sprite.sheets)],
    ...[...imageEncoder(sprite.format), '-f', 'image2', '-start_number', '1', `sprite-%03d.${sprite.format}`],
  ];
}

export function imageFilters(source: VideoSource, width: number, height: number): string[] {
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
export const imagePixels = (format: ImageFormat): string =>
  [
    `scale=out_color_matrix=bt601:${exactScaling}`,
    format === 'jpg' ? 'scale=out_range=pc,format=yuvj420p' : 'scale=out_range=tv,format=yuv420p',
  ].join(',');

/** What `imagePixels` makes. */
export const imageColor = (format: ImageFormat): PictureColor =>
  format === 'jpg' ? { matrix: 'bt601', range: 'pc' } : { matrix: 'bt601', range: 'tv' };

export const imageEncoder = (format: ImageFormat): string[] =>
  format === 'jpg' ? ['-c:v', 'mjpeg', '-q:v', '3'] : ['-c:v', 'libwebp', '-quality', '80'];
