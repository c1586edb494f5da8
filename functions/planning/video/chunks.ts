import { toNumber } from '../../../shared/media/rational.ts';
import { rescale } from '../../../shared/media/rescale.ts';
import { preRollSeconds, seeksByIndex } from '../../../shared/media/seek.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';

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
  const kept = withoutLongLeads(ranges, starts, targetFrames / toNumber(grid.frameRate));
  const endPts = Math.max(source.track.endPts, source.track.startPts + 1);
  return kept.map((range, index) => {
    const { startFrame, pts, seekSeconds } = starts[range]!;
    const next = starts[kept[index + 1] ?? starts.length];
    return {
      index,
      startFrame,
      endFrame: next?.startFrame ?? video.frameCount,
      startPts: pts,
      endPts: next?.pts ?? endPts,
      seekSeconds: index === 0 ? null : seekSeconds,
      untilByte: next?.reachBytes ?? null,
    };
  });
}

/** A chunk may take up as many as it has to to do without decoding twice, but not without end: there are limits to the time of a job. */
const mostJoined = 4;
/** A few seconds are soon decoded, however short the chunks are. */
const bearableLeadSeconds = 10;

/**
 * Positions of the ranges that stay. One that would have to decode for longer than half its length before its first frame, since the source has a key
 * frame every few minutes only, is joined to the one before.
 */
function withoutLongLeads(ranges: [number, number][], starts: ChunkStart[], targetSeconds: number): number[] {
  const longestLead = Math.max(bearableLeadSeconds, targetSeconds / 2);
  const kept: number[] = [];
  for (const position of ranges.keys()) {
    const joined = position - (kept.at(-1) ?? position);
    if (kept.length === 0 || joined >= mostJoined || starts[position]!.leadSeconds <= longestLead) kept.push(position);
  }
  return kept;
}

type ChunkStart = {
  startFrame: number;
  pts: number;
  seekSeconds: number | null;
  /** from the key frame to the first frame of the chunk */
  leadSeconds: number;
  /** how far into the file all frames up to the first of the chunk reach */
  reachBytes: number;
};

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
  let [position, pts, reachBytes] = [0, frames.ptsDeltas[0] ?? track.startPts, frames.endByteDeltas[0] ?? 0];
  const firstPts = pts;
  // the first frame may be none to start at, but there is nothing before it
  let [keyPosition, keyPts] = [frames.keyFrames[0] === 0 ? 0 : -1, pts];
  const step = () => {
    pts += frames.ptsDeltas[++position] ?? 0;
    reachBytes += frames.endByteDeltas[position] ?? 0;
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
    // edits are told apart by counting frames, which takes all from the first on
    if (track.editShifts) {
      const leadSeconds = (startPts - firstPts) * secondsPerTick;
      return { startFrame, pts: startPts, reachBytes, seekSeconds: null, leadSeconds };
    }
    const keySeconds = keyPts * secondsPerTick;
    // A demuxer goes to the last key frame at or before the time; a little later than the key frame, but not as late as the next frame or its second
    // field, none can miss it.
    const toNextSeconds = (frames.ptsDeltas[(frames.keyFrames[keyPosition] ?? 0) + 1] ?? 1) * secondsPerTick;
    const laterSeconds = Math.min(halfFrameSeconds, toNextSeconds / 2) / 2;
    const seek = seeksByIndex(formatName) ? keySeconds + laterSeconds : keySeconds - preRollSeconds;
    return {
      ...{ startFrame, pts: startPts, reachBytes },
      seekSeconds: seek <= firstPts * secondsPerTick ? null : seek,
      leadSeconds: startPts * secondsPerTick - keySeconds,
    };
  });
}
