import type { Chunk, FrameGrid } from '../../shared/protocol/encode-spec.ts';

/** The segments of a track that a chunk of video makes. */
export function chunkSegments(
  { segmentFrames }: Pick<FrameGrid, 'segmentFrames'>,
  { startFrame, endFrame }: Pick<Chunk, 'startFrame' | 'endFrame'>,
): { firstSegment: number; segmentCount: number } {
  const firstSegment = Math.floor(startFrame / segmentFrames);
  return { firstSegment, segmentCount: Math.ceil(endFrame / segmentFrames) - firstSegment };
}

/**
 * An upper bound for the segments of audio, or of a package with audio. `durationSeconds` is that of the plan; no track
 * is longer. Audio frames do not end at segment bounds, so there may be more segments than the duration says.
 */
export const maxAudioSegments = (segmentSeconds: number, durationSeconds: number): number =>
  Math.ceil(durationSeconds / segmentSeconds) + 2;
