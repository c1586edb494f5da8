import { renditionRange, sourceRange } from '../../shared/media/video-range.ts';
import type { Hdr10, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';

/** ffmpeg's names of colour primaries, transfer characteristics and matrix; null when unspecified. */
export type Color = { primaries: string | null; transfer: string | null; space: string | null };

const bt709: Color = { primaries: 'bt709', transfer: 'bt709', space: 'bt709' };

export const isHdr = (source: VideoSource): boolean => sourceRange(source) !== 'SDR';

/** An 8-bit rendition of PQ or HLG is tone-mapped, because players would display it wrongly. */
export const needsToneMap = (source: VideoSource, rung: Rung): boolean =>
  sourceRange(source) !== renditionRange(source, rung);

/** The colour of a rendition. RGB sources get a matrix, because every rendition is YUV. */
export function rungColor(source: VideoSource, rung: Rung): Color {
  if (needsToneMap(source, rung)) return bt709;
  const matrixOfRgb = isHdr(source) ? 'bt2020nc' : 'bt709';
  return {
    primaries: source.colorPrimaries,
    transfer: source.colorTransfer,
    space: isRgb(source) ? matrixOfRgb : source.colorSpace,
  };
}

/** HDR10 metadata of a rendition; null when it is not PQ. */
export const rungHdr10 = (source: VideoSource, rung: Rung): Hdr10 | null =>
  renditionRange(source, rung) === 'PQ' ? source.hdr10 : null;

export const isRgb = ({ colorSpace }: VideoSource): boolean => colorSpace === 'gbr' || colorSpace === 'rgb';

/** Whether the frames that are scaled are RGB. Alpha and colours of bars are composited in RGB. */
export const isRgbPicture = (source: VideoSource): boolean =>
  isRgb(source) ||
  source.transparency !== undefined ||
  (source.pixelAspects !== undefined && source.backgroundRgb !== undefined);

/** Without these flags, rounding would tint grey. */
export const exactScaling = 'flags=bicubic+accurate_rnd+full_chroma_int';

/** Filters from YUV with a matrix to planar RGB. */
export const toRgb = (matrix: string | null, pixelFormat: 'gbrp' | 'gbrp10le' | 'gbrap'): string[] => {
  const known = filterMatrix(matrix);
  return [
    ...(known === undefined ? [] : [`setparams=colorspace=${known}`]),
    `scale=${exactScaling}`,
    `format=${pixelFormat}`,
  ];
};

/** Options of the filter scale that convert RGB to a matrix. */
export const fromRgb = (matrix: string | null): string => `out_color_matrix=${scaleMatrices[matrix ?? ''] ?? 'bt709'}`;

/** Matrices as the filter scale calls them. */
const scaleMatrices: Record<string, string> = {
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
};

/**
 * Colour tags for the encoder. The values come from an untrusted file, so only those in the form of ffmpeg's names are
 * passed on.
 */
export function colorTagArgs(color: Color): string[] {
  const tag = (option: string, value: string | null): string[] =>
    value && /^[a-z0-9-]+$/.test(value) && !ignored.has(value) ? [option, value] : [];
  return [
    ...tag('-color_primaries', color.primaries),
    ...tag('-color_trc', color.transfer),
    ...tag('-colorspace', color.space),
    // all renditions are converted to limited range, which all players expect
    ...['-color_range', 'tv'],
  ];
}

/**
 * The same tags for the frames. The encoders of ffmpeg 7 take the colour from the frames and ignore the options; those
 * of version 5 take the options.
 */
export function colorTagFilter(color: Color): string {
  const tag = (name: string, value: string | null, known: string): string[] => {
    const filterName = knownName(value, known);
    return filterName === undefined ? [] : [`${name}=${filterName}`];
  };
  const tags = [
    ...tag('color_primaries', color.primaries, knownPrimaries),
    ...tag('color_trc', color.transfer, knownTransfers),
    ...tag('colorspace', color.space, knownSpaces),
  ];
  return ['setparams=range=tv', ...tags].join(':');
}

/** The matrix of a source as filters call it; undefined for RGB, which has none, and for one that is not known. */
export const filterMatrix = (colorSpace: string | null): string | undefined => knownName(colorSpace, knownSpaces);

function knownName(value: string | null, known: string): string | undefined {
  const name = value === null ? undefined : (filterNames[value] ?? value);
  return name !== undefined && known.split(' ').includes(name) ? name : undefined;
}

/** What the filter setparams calls differently. */
const filterNames: Record<string, string> = { gamma22: 'bt470m', gamma28: 'bt470bg' };
const knownPrimaries =
  'bt709 bt470m bt470bg smpte170m smpte240m film bt2020 smpte428 smpte431 smpte432 jedec-p22 ebu3213';
const knownTransfers =
  'bt709 bt470m bt470bg smpte170m smpte240m linear log100 log316 iec61966-2-4 bt1361e iec61966-2-1 bt2020-10 ' +
  'bt2020-12 smpte2084 smpte428 arib-std-b67';
const knownSpaces =
  'bt709 fcc bt470bg smpte170m smpte240m ycgco bt2020nc bt2020c smpte2085 chroma-derived-nc chroma-derived-c ictcp';

const ignored = new Set(['unknown', 'unspecified', 'reserved', 'gbr', 'rgb']);

/**
 * Colours of HLG brighter than this, in 100 nits, become whiter. The tone curve keeps the ratios of linear light, which
 * grow with the brightness in HLG: without it, a sky that is nearly white was yellow, RGB (255, 244, 217) instead of
 * (255, 253, 247).
 */
const hlgDesaturation = 2;

/**
 * Tone-maps PQ or HLG to BT.709: linear light (100 nits is 1.0), the Hable curve in float RGB, which keeps detail in
 * highlights, then BT.709. The source colour is passed to zscale, because files tag it in the stream, in the container,
 * or incompletely.
 */
export function toneMapFilters(source: VideoSource): string[] {
  const transfer = source.colorTransfer === 'arib-std-b67' ? 'arib-std-b67' : 'smpte2084';
  const range = source.colorRange === 'pc' || isRgbPicture(source) ? 'full' : 'limited';
  const matrix = isRgbPicture(source) ? 'gbr' : 'bt2020nc';
  return [
    `zscale=tin=${transfer}:pin=bt2020:min=${matrix}:rin=${range}:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=tonemap=hable:desat=${transfer === 'arib-std-b67' ? hlgDesaturation : 0}`,
    'zscale=t=bt709:m=bt709:r=limited',
  ];
}
