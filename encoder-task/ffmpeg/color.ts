import { renditionRange, sourceRange } from '../../shared/media/video-range.ts';
import type { Hdr10, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';

/** ffmpeg's names of how pixel values become light; null is "not said". */
export type Color = { primaries: string | null; transfer: string | null; space: string | null };

const bt709: Color = { primaries: 'bt709', transfer: 'bt709', space: 'bt709' };

export const isHdr = (source: VideoSource): boolean => sourceRange(source) !== 'SDR';

/** PQ and HLG mean something else in 8 bits than their viewers would see, so such a rendition is tone-mapped. */
export const needsToneMap = (source: VideoSource, rung: Rung): boolean =>
  sourceRange(source) !== renditionRange(source, rung);

/** The colour of a rendition. Sources in RGB get a matrix, since every rendition is YUV. */
export function rungColor(source: VideoSource, rung: Rung): Color {
  if (needsToneMap(source, rung) || isRgb(source)) return bt709;
  return { primaries: source.colorPrimaries, transfer: source.colorTransfer, space: source.colorSpace };
}

/** HDR10's metadata of a rendition, null for one that is not PQ. */
export const rungHdr10 = (source: VideoSource, rung: Rung): Hdr10 | null =>
  renditionRange(source, rung) === 'PQ' ? source.hdr10 : null;

export const isRgb = ({ colorSpace }: VideoSource): boolean => colorSpace === 'gbr' || colorSpace === 'rgb';

/** Tags for the encoder. Only ffmpeg's own names pass: the values come from a stranger's file. */
export function colorTagArgs(color: Color): string[] {
  const tag = (option: string, value: string | null): string[] =>
    value && /^[a-z0-9-]+$/.test(value) && !ignored.has(value) ? [option, value] : [];
  return [
    ...tag('-color_primaries', color.primaries),
    ...tag('-color_trc', color.transfer),
    ...tag('-colorspace', color.space),
    // every rendition is converted to limited range, which all players expect
    ...['-color_range', 'tv'],
  ];
}

const ignored = new Set(['unknown', 'unspecified', 'reserved', 'gbr', 'rgb']);

/**
 * PQ or HLG to BT.709. Light is made linear (100 nits is 1.0), squeezed in float RGB by the Hable curve, which keeps detail in highlights,
 * and coded again. zscale is told the source's colour, because files tag it in the stream, the container, or by halves.
 */
export function toneMapFilters(source: VideoSource): string[] {
  const transfer = source.colorTransfer === 'arib-std-b67' ? 'arib-std-b67' : 'smpte2084';
  const range = source.colorRange === 'pc' ? 'full' : 'limited';
  return [
    `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:rin=${range}:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=tonemap=hable:desat=0',
    'zscale=t=bt709:m=bt709:r=limited',
  ];
}
