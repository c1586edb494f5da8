import type { ImageType, UploadedImage } from '../../shared/media/image-header.ts';
import { posterFile, posterSides, type UploadedPosterSpec, watermarkSides } from '../../shared/protocol/jobs.ts';
import { overBackground } from './source-picture.ts';
import { imageEncoder, imagePixels } from './thumbnail-args.ts';
import { watermarkFile } from './watermark.ts';

/** Demuxer and decoder of an image. Nothing else may read the file, whatever it contains. */
const readers: Record<ImageType, { format: string; decoder: string }> = {
  jpeg: { format: 'jpeg_pipe', decoder: 'mjpeg' },
  png: { format: 'png_pipe', decoder: 'png' },
  webp: { format: 'webp_pipe', decoder: 'webp' },
};

/** Filters that show stored pixels upright, by the orientation of EXIF. */
const upright: Record<number, string[]> = {
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
};

/** A local file with an image. `frame` is where the picture is in its canvas. */
export type ImageFile = { file: string; image: UploadedImage; frame: { left: number; top: number } };

/** argv that makes the poster of an uploaded image. */
export function uploadedPosterArgs({ backgroundRgb, poster }: UploadedPosterSpec, source: ImageFile): string[] {
  const filters = [
    ...shownUpright(source, overBackground(backgroundRgb)),
    `scale=${poster.width}:${poster.height}`,
    'setsar=1',
    imagePixels(poster.format),
  ];
  return [
    ...imageInput(source, posterSides.max),
    ...['-filter_complex', `[0:v]${filters.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-frames:v', '1', ...imageEncoder(poster.format)],
    ...['-f', 'image2', '-update', '1', posterFile(poster)],
  ];
}

/** argv that decodes an image with its transparency, for `watermarkFilters`. */
export function watermarkFileArgs(opacity: number, source: ImageFile): string[] {
  const filters = [
    ...shownUpright(source, []),
    'format=rgba',
    ...(opacity < 1 ? [`colorchannelmixer=aa=${opacity.toFixed(4)}`] : []),
  ];
  return [
    ...imageInput(source, watermarkSides.max),
    ...['-filter_complex', `[0:v]${filters.join(',')}[image]`, '-map', '[image]', '-map_metadata', '-1'],
    ...['-frames:v', '1', '-c:v', 'rawvideo', '-pix_fmt', 'rgba', '-f', 'nut', watermarkFile],
  ];
}

const imageInput = ({ image, file }: ImageFile, maxSide: number): string[] => {
  const { format, decoder } = readers[image.type];
  return [
    ...['-protocol_whitelist', 'file', '-max_pixels', String(maxSide ** 2), '-noautorotate'],
    ...['-f', format, '-c:v', decoder, '-i', file],
  ];
};

/** `alpha`: what becomes of transparent pixels. */
const shownUpright = ({ image, frame }: ImageFile, alpha: string[]): string[] => [
  // JPEG has no transparent pixels; the fourth component of one is a colour.
  ...(image.type === 'jpeg'
    ? []
    : ['format=rgba', `pad=${image.width}:${image.height}:${frame.left}:${frame.top}:black@0`, ...alpha]),
  ...(upright[image.orientation] ?? []),
];
