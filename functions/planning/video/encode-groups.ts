import type { Chunk, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { planChunks } from './chunks.ts';
import type { Phase, PhasedGroup } from './phases.ts';

/**
 * Rungs that are encoded together over a range of frames, one job per chunk. The groups of a plan are in the order in
 * which they are encoded.
 */
export type EncodeGroup = { index: number; phase: Phase; grid: FrameGrid; rungs: Rung[]; chunks: Chunk[] };
type Source = { track: VideoTrack; frames: FrameIndex; formatName: string };

/** The groups with their chunks, for which the times of all frames must be known. */
export const encodeGroups = (source: Source, groups: PhasedGroup[]): EncodeGroup[] =>
  groups.map(({ index, phase, grid, rungs, ...range }) => ({
    index,
    phase,
    grid,
    rungs,
    chunks: planChunks(source, grid, range),
  }));
