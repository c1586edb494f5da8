import { formatRational } from '../../../shared/media/rational.ts';
import type { FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { Variant } from '../stream-variants.ts';
import {
  endSecondsOf,
  frameGrid,
  type PictureRange,
  type Presentation,
  presentedFrames,
  timeFrames,
} from './frame-grid.ts';
import type { PlannedRung } from './rungs.ts';

type Span = { startSeconds: number; endSeconds: number };

/** Source times between which any of these rungs shows pictures of the source. */
export function videoSpan(track: VideoTrack, rungs: PlannedRung[]): Span {
  const timings = rungs.map(({ frameRate, isCapped }) => timeFrames(track, frameRate, isCapped));
  return {
    startSeconds: Math.min(...timings.map(({ sourceStartSeconds }) => sourceStartSeconds)),
    endSeconds: Math.max(...timings.map(endSecondsOf)),
  };
}

/** A group of rungs of one grid before it is divided into phases and chunks. */
export type RungGroup = {
  index: number;
  grid: FrameGrid;
  rungs: Rung[];
  /** of the whole track */
  frameCount: number;
  /** the frames that show the source; those before and after repeat its first and last picture */
  pictures: PictureRange;
};

/** A copied rung is a group by itself. */
const copiedName = ({ rung }: PlannedRung): string => (rung.copied ? rung.name : '');

/**
 * Groups the rungs with the same frame rate, GOP and segment length, so that each chunk is decoded once for all of
 * them.
 */
export function rungGroups(
  track: VideoTrack,
  variants: Variant<PlannedRung>[],
  presentation: Presentation,
): RungGroup[] {
  const { originSeconds } = presentation;
  const groups = Map.groupBy(variants, ({ item, segmentSeconds }) =>
    [formatRational(item.frameRate), item.isCapped, item.gopSeconds, segmentSeconds, copiedName(item)].join(),
  );
  return [...groups.values()].map((members, index) => {
    const [{ item, segmentSeconds }] = members as [Variant<PlannedRung>];
    const timing = presentedFrames(track, item, presentation);
    const grid = frameGrid(timing, { originSeconds, gopSeconds: item.gopSeconds, segmentSeconds });
    const rungs = members.map(({ item: { rung }, name }) => ({ ...rung, name }));
    const frameCount = timing.frameCount + heldFrames(timing.frameCount, grid, rungs);
    return { index, grid, rungs, frameCount, pictures: timing.pictures };
  });
}

/** Frames by which decoding is ahead of the presentation in a pyramid of B-frames. */
const reorderedFrames = 2;

/**
 * hls.js 1.7 waits at the end for ever if the last segment is as short as this delay: it counts the times of a segment
 * without the edit list, and finds none of them in the buffer. So the last picture is shown for one more frame. One
 * frame alone is too short to count.
 */
function heldFrames(frameCount: number, { segmentFrames }: FrameGrid, rungs: Rung[]): number {
  const isDelayed = rungs.some(({ codec, copied }) => (codec === 'h264' || codec === 'hevc') && !copied);
  return isDelayed && frameCount % segmentFrames === reorderedFrames && frameCount > segmentFrames ? 1 : 0;
}
