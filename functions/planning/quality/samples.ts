import { toNumber } from '../../../shared/media/rational.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { chunkStarts, type IndexedSource } from '../video/chunks.ts';

type Choice = {
  count: number;
  /** of all samples together */
  totalSeconds: number;
  /** of the whole track */
  frameCount: number;
};

/** Samples at even distances. Each starts at a key frame of the source, where possible, so that little is decoded. */
export function planSamples(
  source: IndexedSource,
  grid: FrameGrid,
  { count, totalSeconds, frameCount }: Choice,
): Chunk[] {
  const frames = Math.max(1, Math.round((totalSeconds / count) * toNumber(grid.frameRate)));
  const ranges: [start: number, end: number][] = [];
  for (let n = 0; n < count; n++) {
    const place = Math.floor(((n + 0.5) * frameCount) / count - frames / 2);
    const start = Math.max(0, Math.min(keyFrameBefore(source, grid, place), frameCount - frames));
    if (start >= (ranges.at(-1)?.[1] ?? 0)) ranges.push([start, Math.min(start + frames, frameCount)]);
  }
  const positions = [...new Set(ranges.flat())].filter((frame) => frame < frameCount);
  const found = new Map(chunkStarts(source, grid, positions).map((start) => [start.startFrame, start]));
  return ranges.map(([startFrame, endFrame], index) => {
    const from = found.get(startFrame)!;
    const to = found.get(endFrame);
    return {
      index,
      startFrame,
      endFrame,
      startPts: from.pts,
      endPts: to?.pts ?? Math.max(source.track.endPts, source.track.startPts + 1),
      seekSeconds: startFrame === 0 ? null : from.seekSeconds,
      untilByte: to?.reachBytes ?? null,
    };
  });
}

/** Source and output frames have the same numbers only where the frame rate is kept. */
function keyFrameBefore({ frames: { keyFrames } }: IndexedSource, { mode }: FrameGrid, frame: number): number {
  return mode === 'passthrough' ? (keyFrames.findLast((position) => position <= frame) ?? frame) : frame;
}
