import type { PixelFormat } from './codecs.ts';

/** The dynamic range of a video by its HLS name: SDR, the PQ curve of HDR10 (SMPTE ST 2084), or HLG (ARIB STD-B67). */
export type VideoRange = 'SDR' | 'PQ' | 'HLG';

const ranges: Record<string, VideoRange> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' };

type Source = { colorTransfer: string | null };

export const sourceRange = ({ colorTransfer }: Source): VideoRange => ranges[colorTransfer ?? ''] ?? 'SDR';

/** An 8-bit rendition of a PQ or HLG source is tone-mapped to SDR: eight bits are too few for those curves. */
export const renditionRange = (source: Source, { pixelFormat }: { pixelFormat: PixelFormat }): VideoRange =>
  pixelFormat === 'yuv420p' ? 'SDR' : sourceRange(source);
