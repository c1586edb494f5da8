import { toNumber } from '../../shared/media/rational.ts';
import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import { isRgb, isRgbPicture, toRgb } from './color.ts';

/**
 * Filters that make the upright picture of the source from each decoded frame. Empty for most sources: what follows
 * can use the frames as they are.
 */
export const sourcePicture = (source: VideoSource): string[] => [
  ...cropped(source),
  ...fitted(source),
  ...(isRgbPicture(source) && !isRgb(source) ? toRgb(source.colorSpace, 'gbrap') : []),
  ...bars(source),
  ...composited(source),
];

/**
 * Filters of the settings of a template, for upright pictures: they are deinterlaced, then cropped, rotated and
 * flipped. Before, the lines of two fields would be mixed.
 */
export const changedPicture = (source: VideoSource): string[] => [...deinterlaced(source), ...changes(source)];

/** Frames that are not marked as interlaced are unchanged. */
function deinterlaced({ interlaced, deinterlace }: VideoSource): string[] {
  if (!interlaced || deinterlace === 'off') return [];
  return [`bwdif=mode=${deinterlace === 'double' ? 'send_field' : 'send_frame'}:parity=auto:deint=interlaced`];
}

const turns = { 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] };
const mirrors = { horizontal: 'hflip', vertical: 'vflip' };

/** Relative to the size of the frames, which may be another one than that of the header. */
export function changes({ change }: VideoSource): string[] {
  if (!change) return [];
  const { frame, crop, rotateDegrees, flip } = change;
  return [
    sameSize,
    ...(crop
      ? [
          [
            `crop=w=iw*${crop.width}/${frame.width}:h=ih*${crop.height}/${frame.height}`,
            `x=iw*${crop.left}/${frame.width}:y=ih*${crop.top}/${frame.height}`,
          ].join(':'),
        ]
      : []),
    ...(rotateDegrees === undefined ? [] : turns[rotateDegrees]),
    ...(flip === undefined ? [] : [mirrors[flip]]),
  ];
}

/**
 * Frames of another size than the first get its size, before filters that fail or cut out a wrong part otherwise. The
 * fields of interlaced frames are scaled separately.
 */
export const sameSize = 'scale=interl=-1';

export const hexColor = (rgb: number): string => `0x${rgb.toString(16).padStart(6, '0')}`;

/** ffmpeg 7 already returns the visible part of the frames, and version 5 all of them. */
function cropped({ visible }: VideoSource): string[] {
  if (!visible) return [];
  const { left, top, width, height } = visible;
  return [`crop=${width}:${height}:x='if(eq(iw,${width}),0,${left})':y='if(eq(ih,${height}),0,${top})'`];
}

/**
 * Frames of changing sizes are fitted into one frame, each with its own shape. `eval=frame` follows the size of each
 * frame. The pixel aspect ratio is that of the probe, because ffmpeg 7 gives all frames that of the first one.
 */
function fitted(source: VideoSource): string[] {
  const { pixelAspects } = source;
  if (!pixelAspects) return [];
  const { width, height } = frameSize(source);
  const shape = `iw/ih*${pixelAspectAt(pixelAspects, source)}`;
  return [
    // interl=-1: the fields of interlaced frames are scaled separately
    [
      `scale=w='${toEven(`min(${width},${height}*${shape})`)}'`,
      `h='${toEven(`min(${height},${width}/(${shape}))`)}'`,
      'eval=frame:interl=-1',
    ].join(':'),
    'setsar=1',
  ];
}

function bars(source: VideoSource): string[] {
  if (!source.pixelAspects) return [];
  const { width, height } = frameSize(source);
  const color = source.backgroundRgb === undefined ? '' : `:color=${hexColor(source.backgroundRgb)}`;
  return [`pad=${width}:${height}:-1:-1:eval=frame${color}`];
}

const frameSize = ({ displayWidth, displayHeight, change }: VideoSource) =>
  change?.frame ?? { width: evenSide(displayWidth), height: evenSide(displayHeight) };

const composited = ({ transparency, backgroundRgb = 0 }: VideoSource): string[] =>
  transparency ? overBackground(backgroundRgb) : [];

/**
 * Shows frames with alpha over the background: over a copy of each frame in which all pixels have its colour. Black
 * needs no copy, which would have 140 MB in the largest size.
 */
export function overBackground(backgroundRgb: number): string[] {
  if (backgroundRgb === 0) return ['format=gbrap', 'premultiply=inplace=1', 'format=gbrp'];
  const [r, g, b] = [backgroundRgb >> 16, (backgroundRgb >> 8) & 0xff, backgroundRgb & 0xff];
  return [
    'format=gbrap',
    `split[over][under];[under]lutrgb=r=${r}:g=${g}:b=${b}:a=255[back];[back][over]overlay=format=gbrp`,
  ];
}

const evenSide = (length: number): number => Math.max(2, 2 * Math.floor(length / 2));
const toEven = (expression: string): string => `max(2,2*floor(${expression}/2+0.5))`;

/** No camera or disc format is more anamorphic. Headers that claim more are wrong and treated as square pixels. */
const maxAspect = 8;

/** An expression of the pixel aspect ratio at the time `t` of a frame. */
function pixelAspectAt(aspects: NonNullable<VideoSource['pixelAspects']>, { timeBase }: VideoSource): string {
  const ratios = aspects.map(({ sampleAspectRatio }) => {
    const ratio = toNumber(sampleAspectRatio);
    return (ratio > maxAspect || ratio < 1 / maxAspect ? 1 : ratio).toFixed(6);
  });
  return ratios.reduceRight((later, ratio, n) => {
    // half a tick before the first frame that has the next one
    const untilSeconds = (aspects[n + 1]!.fromPts - 0.5) * toNumber(timeBase);
    return `if(lt(t,${untilSeconds.toFixed(6)}),${ratio},${later})`;
  });
}
