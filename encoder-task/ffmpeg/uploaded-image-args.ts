import type { ImageType } from '../../shared/media/image-header.ts';
import { maxPosterPixels, posterFile, type UploadedPosterSpec } from '../../shared/protocol/jobs.ts';
import { overBackground } from './source-picture.ts';
import { imageEncoder, imagePixels } from './thumbnail-args.ts';

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

/**
 * argv that makes the poster of an uploaded image, which is the local file `file`. `frame` is where the picture is in
 * its canvas.
 */
export function uploadedImageArgs(
  { image, backgroundRgb, poster }: UploadedPosterSpec,
  file: string,
  frame: { left: number; top: number },
): string[] {
  const { format, decoder } = readers[image.type];
  const { width, height } = image;
  const filters = [
    // JPEG has no transparent pixels; the fourth component of one is a colour.
    ...(image.type === 'jpeg'
      ? []
      : ['format=rgba', `pad=${width}:${height}:${frame.left}:${frame.top}:black@0`, ...overBackground(backgroundRgb)]),
    ...(upright[image.orientation] ?? []),
    `scale=${poster.width}:${poster.height}`,
    'setsar=1',
    imagePixels(poster.format),
  ];
  return [
    ...['-protocol_whitelist', 'file', '-max_pixels', String(maxPosterPixels), '-noautorotate'],
    ...['-f', format, '-c:v', decoder, '-i', file, '-filter_complex', `[0:v]${filters.join(',')}[image]`],
    ...['-map', '[image]', '-map_metadata', '-1', '-frames:v', '1', ...imageEncoder(poster.format)],
    ...['-f', 'image2', '-update', '1', posterFile(poster)],
  ];
}
