import type { Chunk, FrameGrid } from './encode-spec.ts';

/** The first one, the one that is repeated, and the last one, which may be shorter. */
const encodedSegments = 3;

/**
 * How many segments of a chunk are copies of its second one, because all show the same picture. Where GOPs are single
 * frames, an odd number of them cannot be copied: the `idr_pic_id` of H.264 alternates between 0 and 1, and a decoder
 * may take two key frames in a row with the same one for one picture.
 */
export function repeatedSegments(
  { mode, gopFrames, segmentFrames }: Pick<FrameGrid, 'mode' | 'gopFrames' | 'segmentFrames'>,
  { startFrame, endFrame, pictures = endFrame - startFrame, heldBefore = 0 }: HeldFrames,
): number {
  const isHeld = pictures === 0 || (mode === 'passthrough' && heldBefore + pictures <= segmentFrames);
  const segments = Math.ceil((endFrame - startFrame) / segmentFrames);
  const alternates = gopFrames > 1 || segmentFrames % 2 === 0;
  return isHeld && alternates ? Math.max(0, segments - encodedSegments) : 0;
}

type HeldFrames = Pick<Chunk, 'startFrame' | 'endFrame' | 'pictures' | 'heldBefore'>;
