import { type PreviewSpec, previewFile } from '../../shared/protocol/jobs.ts';
import { exactScaling } from './color.ts';
import { framesFrom, imageColor, imageFilters, imagePixels, type Still } from './thumbnail-args.ts';
import { lastFrameTwice } from './video-graph.ts';
import { watermarkOnImage } from './watermark.ts';

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
    ...watermarkOnImage(still.source, { width, height }, format === 'mp4' ? videoColor : imageColor(format)),
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

const videoPixels = `scale=out_color_matrix=bt709:out_range=tv:${exactScaling},format=yuv420p`;
const videoColor = { matrix: 'bt709', range: 'tv' } as const;
