import type { Chunk, FrameGrid } from './encode.ts';
import { JobError } from './job-errors.ts';
import type { FrameIndex, VideoTrack } from './probe.ts';
import { toNumber } from './rational.ts';
import { rescale } from './rescale.ts';
import { preRollSeconds, seeksByIndex } from './seek.ts';

const maxChunks = 10_000;

/**
 * Frame ranges [start, end) of even size: whole segments, near to the target length, the last one ending with the video. 61 s in chunks of 30 s
 * are two chunks, not two and a stub.
 */
export function chunkFrames(video: {
  frameCount: number;
  segmentFrames: number;
  targetFrames: number;
}): [number, number][] {
  const { frameCount, segmentFrames } = video;
  const target = segmentFrames * Math.max(1, Math.ceil(video.targetFrames / segmentFrames));
  const count = Math.max(1, Math.round(frameCount / target));
  if (count > maxChunks) {
    throw new JobError(
      'INPUT_TOO_LARGE',
      `The video is too long: it would take more than ${maxChunks} chunks. Choose a template with longer ones.`,
    );
  }
  const bounds = Array.from(
    { length: count },
    (_, index) => segmentFrames * Math.round((index * frameCount) / count / segmentFrames),
  );
  return bounds.map((start, index) => [start, bounds[index + 1] ?? frameCount]);
}

/** The chunks of one frame grid, with where each begins and ends in the source and where its decoder has to start. */
export function planChunks(
  source: { track: VideoTrack; frames: FrameIndex; formatName: string },
  grid: FrameGrid,
  video: { frameCount: number; targetSeconds: number },
): Chunk[] {
  const targetFrames = Math.ceil(video.targetSeconds * toNumber(grid.frameRate) - 1e-6);
  const ranges = chunkFrames({ frameCount: video.frameCount, segmentFrames: grid.segmentFrames, targetFrames });
  const starts = chunkStarts(
    source,
    grid,
    ranges.map(([start]) => start),
  );
  const endPts = Math.max(source.track.endPts, source.track.startPts + 1);
  return ranges.map(([startFrame, endFrame], index) => ({
    index,
    startFrame,
    endFrame,
    startPts: starts[index]!.pts,
    endPts: starts[index + 1]?.pts ?? endPts,
    seekSeconds: index === 0 ? null : starts[index]!.seekSeconds,
  }));
}

type ChunkStart = { pts: number; seekSeconds: number | null };

/** One pass over the index, since it may hold millions of frames. */
function chunkStarts(
  { track, frames, formatName }: { track: VideoTrack; frames: FrameIndex; formatName: string },
  grid: FrameGrid,
  startFrames: number[],
): ChunkStart[] {
  const secondsPerTick = toNumber(track.timeBase);
  const halfFrameSeconds = grid.ticksPerFrame / grid.timescale / 2;
  const frame = { num: grid.frameRate.den, den: grid.frameRate.num };
  const gridOrigin = Math.round(grid.sourceStartSeconds * toNumber(grid.frameRate));
  let [position, pts] = [0, frames.ptsDeltas[0] ?? track.startPts];
  const firstPts = pts;
  let [keyPosition, keyPts] = [0, pts];
  const step = () => {
    pts += frames.ptsDeltas[++position] ?? 0;
    if (frames.keyFrames[keyPosition + 1] === position) [keyPosition, keyPts] = [keyPosition + 1, pts];
  };

  return startFrames.map((startFrame) => {
    let startPts: number;
    if (grid.mode === 'passthrough') {
      while (position < startFrame) step();
      startPts = pts;
    } else {
      startPts = rescale(gridOrigin + startFrame, frame, track.timeBase);
      // The frame on show at the grid point may be older than it by any length of time.
      while (position + 1 < frames.ptsDeltas.length && pts + frames.ptsDeltas[position + 1]! <= startPts) step();
    }
    const keySeconds = keyPts * secondsPerTick;
    // A demuxer goes to the last key frame at or before the time; half a frame later than the key frame none can miss it by rounding.
    const byIndex = seeksByIndex(formatName) ? keySeconds + halfFrameSeconds : keySeconds - preRollSeconds;
    const seek = grid.mode === 'passthrough' ? byIndex : Math.min(byIndex, startPts * secondsPerTick - preRollSeconds);
    return { pts: startPts, seekSeconds: seek <= firstPts * secondsPerTick ? null : seek };
  });
}
