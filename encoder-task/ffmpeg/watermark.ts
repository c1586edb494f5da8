import { toNumber } from '../../shared/media/rational.ts';
import { renditionRange } from '../../shared/media/video-range.ts';
import { type Area, type Watermark, watermarkArea } from '../../shared/media/watermark.ts';
import type { FrameGrid, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import { exactScaling, fromRgb, rungColor } from './color.ts';

/** The image of a watermark, decoded and upright, in the folder of the job. */
export const watermarkFile = 'watermark.nut';

/** The luminance of white graphics beside HDR pictures, in cd/m² (ITU-R BT.2408). */
const graphicsWhiteNits = 203;

/** Filters that put the watermark of a source over the finished frames of a rung. Labels end with `id`. */
export function watermarkOnRung(source: VideoSource, rung: Rung, grid: FrameGrid, id: number): string[] {
  const { watermark } = source;
  if (!watermark) return [];
  const shape = rung.sampleAspectRatio;
  const area = watermarkArea(watermark, { ...withinBars(rung), ...(shape && { pixelAspect: toNumber(shape) }) });
  const { space } = rungColor(source, rung);
  const isDeep = rung.pixelFormat === 'yuv420p10le';
  const range = renditionRange(source, rung);
  const colors =
    range === 'SDR'
      ? [`scale=out_range=tv:${fromRgb(space)}:${exactScaling}`, `format=${isDeep ? 'yuva420p10le' : 'yuva420p'}`]
      : hdrColors(range === 'PQ' ? 'smpte2084' : 'arib-std-b67', id);
  return [overlay({ area, colors, id, timescale: grid.timescale, isDeep, shown: shownBetween(watermark) })];
}

/** What a filter for images outputs; the matrix as the filter scale calls it. */
export type PictureColor = { matrix: 'bt601' | 'bt709'; range: 'tv' | 'pc' };

/** Filters that put the watermark of a source over an image, at any time of the video. */
export function watermarkOnImage(
  { watermark }: VideoSource,
  { width, height }: { width: number; height: number },
  { matrix, range }: PictureColor,
): string[] {
  if (!watermark) return [];
  const area = watermarkArea(watermark, { left: 0, top: 0, width, height });
  const colors = [`scale=out_range=${range}:out_color_matrix=${matrix}:${exactScaling}`, 'format=yuva420p'];
  return [overlay({ area, colors, id: 0, isDeep: false, shown: '' })];
}

/** The filter pad centres a picture, and rounds down to even pixels. */
function withinBars({ width, height, pad }: Rung): Area {
  const before = (length: number, padded: number): number => 2 * Math.floor((padded - length) / 4);
  return { width, height, left: pad ? before(width, pad.width) : 0, top: pad ? before(height, pad.height) : 0 };
}

/** The colours of the image, sRGB, in a rendition with a transfer of HDR. Alpha is a linear share and stays apart. */
const hdrColors = (transfer: 'smpte2084' | 'arib-std-b67', id: number): string[] => [
  'format=gbrap',
  [
    `split[wc${id}][wa${id}]`,
    `[wa${id}]format=yuva444p10le,alphaextract,format=gray10le[wk${id}]`,
    `[wc${id}]format=gbrp16le`,
  ].join(';'),
  `zscale=min=gbr:rin=full:pin=bt709:tin=iec61966-2-1:m=bt2020nc:r=limited:p=bt2020:t=${transfer}:npl=${graphicsWhiteNits}`,
  `format=yuv420p10le[wp${id}];[wp${id}][wk${id}]alphamerge`,
  'format=yuva420p10le',
];

type Overlay = { area: Area; colors: string[]; id: number; timescale?: number; isDeep: boolean; shown: string };

/**
 * The image is decoded once and repeated. Colours are multiplied with alpha before they are scaled: otherwise those of
 * transparent pixels would be seen at the edges.
 */
function overlay({ area, colors, id, timescale, isDeep, shown }: Overlay): string {
  const { left, top, width, height } = area;
  const image = [
    `movie=${watermarkFile}:f=nut`,
    // overlay works on the common time base of its inputs, and all frames have to be after this one
    ...(timescale === undefined ? [] : [`settb=1/${timescale}`]),
    'setpts=-1e12',
    'format=gbrap',
    'premultiply=inplace=1',
    `scale=${width}:${height}:${exactScaling}`,
    'unpremultiply=inplace=1',
    ...colors,
  ].join(',');
  const over = `overlay=x=${left}:y=${top}:format=${isDeep ? 'yuv420p10' : 'yuv420'}${shown}`;
  return `null[wm${id}];${image}[wi${id}];[wm${id}][wi${id}]${over}`;
}

/** Times are those of the output clock, which the frames have here. */
function shownBetween({ fromSeconds, toSeconds }: Watermark): string {
  const limits = [
    ...(fromSeconds === undefined ? [] : [`gte(t,${fromSeconds.toFixed(6)})`]),
    ...(toSeconds === undefined ? [] : [`lt(t,${toSeconds.toFixed(6)})`]),
  ];
  return limits.length === 0 ? '' : `:enable='${limits.join('*')}'`;
}
