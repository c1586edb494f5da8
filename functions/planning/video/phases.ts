import type { Chunk, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import { type ChunkedRange, shortChunkSegments } from './chunks.ts';
import type { RungGroup } from './rung-groups.ts';
import type { Starter } from './starter.ts';

/**
 * When a group is encoded: 0 is the starter alone, 1 the other rungs beside it, 2 all rungs together. Without a starter
 * all groups are of phase 1.
 */
export type Phase = 0 | 1 | 2;

/** A part of a group: some of its rungs over some of its frames. A rung may be in several that follow each other. */
export type PhasedGroup = RungGroup & ChunkedRange & { phase: Phase };

type Choice = {
  starter: Starter | null;
  /** whether all rungs together are encoded so fast that a viewer of the first segments does not catch up */
  keepsUp: boolean;
  targetChunkSeconds: number;
};

/**
 * Divides groups of rungs into phases, in the order in which they are encoded. The starter gets ahead of the other
 * rungs of its grid: over the whole video when encoding everything is too slow for playback, otherwise over the first
 * segments only, since its own decode costs CPU time.
 */
export function phasedGroups(groups: RungGroup[], { starter, keepsUp, targetChunkSeconds }: Choice): PhasedGroup[] {
  const lastPhase = starter && keepsUp ? 2 : 1;
  const parts = groups.flatMap((group): PhasedGroup[] => {
    const { rungs, frameCount } = group;
    const all = { ...group, startFrame: 0, endFrame: frameCount, targetChunkSeconds };
    const first = rungs.filter(({ name }) => name === starter?.rung);
    if (first.length === 0) return [{ ...all, phase: lastPhase }];
    const others = rungs.filter(({ name }) => name !== starter?.rung);
    const startFrames = keepsUp ? aheadFrames(group, targetChunkSeconds) : frameCount;
    const alone = (phase: Phase, members: Rung[], endFrame: number): PhasedGroup[] =>
      members.length > 0 ? [{ ...all, phase, rungs: members, endFrame, startsShort: phase === 0 }] : [];
    if (others.length === 0) return alone(0, first, frameCount);
    return [
      ...alone(0, first, startFrames),
      ...alone(1, others, startFrames),
      ...(startFrames < frameCount ? [{ ...all, phase: 2 as const, startFrame: startFrames }] : []),
    ];
  });
  return parts.toSorted((a, b) => a.phase - b.phase).map((part, index) => ({ ...part, index }));
}

/** How many segments of the starter are encoded before anything else. */
const aheadSegments = shortChunkSegments.reduce((sum, segments) => sum + segments, 0);

/** Whether a chunk starts within the first segments of a track. */
export const isAheadChunk = ({ startFrame }: Pick<Chunk, 'startFrame'>, { segmentFrames }: FrameGrid): boolean =>
  startFrame < aheadSegments * segmentFrames;

/** The frames of the first segments, or the whole track when the rest is shorter than half a chunk. */
function aheadFrames({ grid, frameCount }: RungGroup, targetChunkSeconds: number): number {
  const frames = aheadSegments * grid.segmentFrames;
  const halfChunk = (targetChunkSeconds * grid.frameRate.num) / grid.frameRate.den / 2;
  return frameCount - frames < halfChunk ? frameCount : frames;
}
