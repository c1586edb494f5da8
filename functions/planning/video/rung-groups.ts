import { formatRational } from '../../../shared/media/rational.ts';
import type { FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { Variant } from '../stream-variants.ts';
import { frameGrid, timeFrames } from './frame-grid.ts';
import type { PlannedRung } from './rungs.ts';

/** Source time of the first frame of any of these rungs. */
export const videoStartSeconds = (track: VideoTrack, rungs: PlannedRung[]): number =>
  Math.min(...rungs.map(({ frameRate, isCapped }) => timeFrames(track, frameRate, isCapped).sourceStartSeconds));

/** A group of rungs of one grid before it is divided into phases and chunks. */
export type RungGroup = {
  index: number;
  grid: FrameGrid;
  rungs: Rung[];
  /** of the whole track */
  frameCount: number;
};

/** A copied rung is a group by itself. */
const copiedName = ({ rung }: PlannedRung): string => (rung.copied ? rung.name : '');

/**
 * Groups the rungs with the same frame rate, GOP and segment length, so that each chunk is decoded once for all of
 * them.
 */
export function rungGroups(track: VideoTrack, variants: Variant<PlannedRung>[], originSeconds: number): RungGroup[] {
  const groups = Map.groupBy(variants, ({ item, segmentSeconds }) =>
    [formatRational(item.frameRate), item.isCapped, item.entry.gop, segmentSeconds, copiedName(item)].join(),
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
