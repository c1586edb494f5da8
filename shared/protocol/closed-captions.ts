import type { FrameGrid, Rung, VideoSource } from './encode-spec.ts';

/**
 * Whether a rung keeps the closed captions (CEA-608 and CEA-708) of its source. Each frame carries two bytes of them
 * in turn, so that they are readable only where every frame of the source is encoded once, and not each of its fields.
 * Of the encoders, only that of H.264 writes them.
 */
export const keepsClosedCaptions = (
  { closedCaptions, deinterlace }: Pick<VideoSource, 'closedCaptions' | 'deinterlace'>,
  { mode }: Pick<FrameGrid, 'mode'>,
  { codec }: Pick<Rung, 'codec'>,
): boolean => closedCaptions === true && deinterlace !== 'double' && mode === 'passthrough' && codec === 'h264';
