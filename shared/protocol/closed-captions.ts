import type { FrameGrid, Rung, VideoSource } from './encode-spec.ts';

/**
 * Whether a rung keeps the closed captions (CEA-608 and CEA-708) of its source. Each frame carries two bytes of them
 * in turn, so that they are readable only where every frame of the source is encoded once. Of the encoders, only that
 * of H.264 writes them.
 */
export const keepsClosedCaptions = (
  { closedCaptions }: Pick<VideoSource, 'closedCaptions'>,
  { mode }: Pick<FrameGrid, 'mode'>,
  { codec }: Pick<Rung, 'codec'>,
): boolean => closedCaptions === true && mode === 'passthrough' && codec === 'h264';
