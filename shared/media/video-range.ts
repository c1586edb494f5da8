import type { Rung, VideoSource } from '../protocol/encode-spec.ts';

/** What pixel values mean, by HLS's names: standard light, HDR10's curve (SMPTE ST 2084), or broadcast's (ARIB STD-B67). */
export type VideoRange = 'SDR' | 'PQ' | 'HLG';

const ranges: Record<string, VideoRange> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' };

export const sourceRange = ({ colorTransfer }: Pick<VideoSource, 'colorTransfer'>): VideoRange =>
  ranges[colorTransfer ?? ''] ?? 'SDR';

/** Eight bits are too few for PQ and HLG: such a rendition is tone-mapped. */
export const renditionRange = (
  source: Pick<VideoSource, 'colorTransfer'>,
  { pixelFormat }: Pick<Rung, 'pixelFormat'>,
): VideoRange => (pixelFormat === 'yuv420p' ? 'SDR' : sourceRange(source));
