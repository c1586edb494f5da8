import { formatRational } from '../../../shared/media/rational.ts';
import type { Chunk, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { Variant } from '../stream-variants.ts';
import { planChunks } from './chunks.ts';
import { frameGrid, timeFrames } from './frame-grid.ts';
import type { PlannedRung } from './rungs.ts';

/** Rungs that are encoded together, one job per chunk. */
export type EncodeGroup = { index: number; grid: FrameGrid; rungs: Rung[]; chunks: Chunk[] };
type Source = { track: VideoTrack; frames: FrameIndex; formatName: string };

/** Source time of the first frame of any of these rungs. */
export const videoStartSeconds = (track: VideoTrack, rungs: PlannedRung[]): number =>
  Math.min(...rungs.map(({ frameRate, isCapped }) => timeFrames(track, frameRate, isCapped).sourceStartSeconds));

/** A group before its frames are divided into chunks. */
export type RungGroup = Omit<EncodeGroup, 'chunks'> & { frameCount: number };

/**
 * Groups the rungs with the same frame rate, GOP and segment length, so that each chunk is decoded once for all of
 * them.
 */
export function rungGroups(track: VideoTrack, variants: Variant<PlannedRung>[], originSeconds: number): RungGroup[] {
  const groups = Map.groupBy(variants, ({ item, segmentSeconds }) =>
    [formatRational(item.frameRate), item.isCapped, item.entry.gop, segmentSeconds].join(),
  );
  return [...groups.values()].map((members, index) => {
    const [{ item, segmentSeconds }] = members as [Variant<PlannedRung>];
    const timing = timeFrames(track, item.frameRate, item.isCapped);
    return {
      index,
      grid: frameGrid(timing, { originSeconds, gopSeconds: item.entry.gop, segmentSeconds }),
      rungs: members.map(({ item: { rung }, name }) => ({ ...rung, name })),
      frameCount: timing.frameCount,
    };
  });
}

/** The groups with their chunks, for which the times of all frames must be known. */
export const encodeGroups = (
  source: Source,
  variants: Variant<PlannedRung>[],
  { originSeconds, targetChunkSeconds }: { originSeconds: number; targetChunkSeconds: number },
): EncodeGroup[] =>
  rungGroups(source.track, variants, originSeconds).map(({ frameCount, ...group }) => ({
    ...group,
    chunks: planChunks(source, group.grid, { frameCount, targetChunkSeconds }),
  }));

/** Output time of the end of the last frame of a group. */
export function groupEndSeconds({ grid, chunks }: EncodeGroup): number {
  const frames = chunks.at(-1)?.endFrame ?? 0;
  return (grid.startTicks + frames * grid.ticksPerFrame) / grid.timescale;
}
