import { toNumber } from '../../../shared/media/rational.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { chunkBetween, chunkStarts, type IndexedSource } from '../video/chunks.ts';
import type { PictureRange } from '../video/frame-grid.ts';

type Choice = {
  count: number;
  /** of all samples together */
  totalSeconds: number;
  /** the frames that show the source */
  pictures: PictureRange;
};

/** Samples at even distances. Each starts at a key frame of the source, where possible, so that little is decoded. */
export function planSamples(
  source: IndexedSource,
  grid: FrameGrid,
  { count, totalSeconds, pictures }: Choice,
): Chunk[] {
  const frames = Math.max(1, Math.round((totalSeconds / count) * toNumber(grid.frameRate)));
  const first = Math.max(0, pictures.start);
  const ranges: [start: number, end: number][] = [];
  for (let n = 0; n < count; n++) {
    const frame = first + Math.floor(((n + 0.5) * (pictures.end - first)) / count - frames / 2);
    const start = Math.max(first, Math.min(keyFrameBefore(source, grid, pictures, frame), pictures.end - frames));
    if (start >= (ranges.at(-1)?.[1] ?? 0)) ranges.push([start, Math.min(start + frames, pictures.end)]);
  }
  const positions = [...new Set(ranges.flat())].filter((frame) => frame < pictures.end);
  const found = new Map(chunkStarts(source, grid, pictures, positions).map((start) => [start.startFrame, start]));
  return ranges.map(([startFrame, endFrame], index) =>
    chunkBetween(source, pictures, index, {
      start: found.get(startFrame)!,
      next: found.get(endFrame),
      frameCount: pictures.end,
    }),
  );
}

/** Source and output frames have the same numbers only where the frame rate is kept. */
function keyFrameBefore(
  { frames: { keyFrames } }: IndexedSource,
  { mode }: FrameGrid,
  { start }: PictureRange,
  frame: number,
): number {
  const position = mode === 'passthrough' ? keyFrames.findLast((key) => key + start <= frame) : undefined;
  return position === undefined ? frame : position + start;
}
