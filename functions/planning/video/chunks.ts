import { rescale, toNumber } from '../../../shared/media/rational.ts';
import { preRollSeconds, seeksByIndex } from '../../../shared/media/seek.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { PictureRange } from './frame-grid.ts';

const maxChunks = 10_000;

export type IndexedSource = { track: VideoTrack; frames: FrameIndex; formatName: string };

/**
 * Frame ranges [start, end) of about equal size, near the target length. All but the last are a whole number of
 * segments. 61 s in chunks of 30 s are two chunks, not two and a remainder of 1 s.
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
      `The video is too long: it would take more than ${maxChunks} chunks. Choose a template with longer chunks.`,
    );
  }
  const bounds = Array.from(
    { length: count },
    (_, index) => segmentFrames * Math.round((index * frameCount) / count / segmentFrames),
  );
  return bounds.map((start, index) => [start, bounds[index + 1] ?? frameCount]);
}

/** Segments in each of the first chunks of a track that plays while it is encoded. */
export const shortChunkSegments = [1, 2, 4];

/**
 * Frame ranges like those of `chunkFrames`, after a few short ones: the first segment is stored soon, and the chunks
 * then grow to the target length, since short chunks cost bytes.
 */
function growingChunkFrames(video: Parameters<typeof chunkFrames>[0]): [number, number][] {
  const { frameCount, segmentFrames, targetFrames } = video;
  const short: [number, number][] = [];
  let start = 0;
  for (const segments of shortChunkSegments) {
    const end = start + segments * segmentFrames;
    // A rest of less than one segment is not worth a chunk.
    if (segments * segmentFrames >= targetFrames || end + segmentFrames > frameCount) break;
    short.push([start, end]);
    start = end;
  }
  const rest = chunkFrames({ frameCount: frameCount - start, segmentFrames, targetFrames });
  return [...short, ...rest.map(([from, to]): [number, number] => [start + from, start + to])];
}

/** Output frames [startFrame, endFrame) of a group, and how they are divided into chunks. */
export type ChunkedRange = {
  startFrame: number;
  endFrame: number;
  targetChunkSeconds: number;
  /** the first chunks are short */
  startsShort?: boolean;
  /** chunks become shorter towards the end, so that this many workers finish together */
  finishTogether?: number;
  /** for a range that is played while it is encoded */
  followed?: {
    /** seconds of video that one worker encodes in a second */
    workerSpeed: number;
    /** what a viewer has played when the first chunk of the range begins, and a reserve */
    playedSeconds: number;
  };
};

/** The share of the workers that is counted on: the others may be busy with other jobs. */
const countedWorkers = 0.85;
/** The share of the rest that is given out at once: by its content, a chunk takes up to twice as long as another. */
const batchShare = 0.6;

/**
 * Frame ranges in batches of one chunk for each worker. A batch has a part of what is left: what follows evens out the
 * times that its chunks take. Chunks are as long as the target while enough is left.
 */
function shrinkingChunkFrames(
  { frameCount, segmentFrames, targetFrames }: Parameters<typeof chunkFrames>[0],
  workers: number,
): [number, number][] {
  const batch = Math.max(1, Math.floor(countedWorkers * workers));
  const ranges: [number, number][] = [];
  for (let start = 0; start < frameCount; ) {
    const share = (batchShare * (frameCount - start)) / batch;
    const segments = Math.max(1, Math.round(Math.min(share, targetFrames) / segmentFrames));
    for (let n = 0; n < batch && start < frameCount; n++) {
      const end = start + segments * segmentFrames;
      // A rest of less than one segment is not worth a chunk.
      ranges.push([start, end + segmentFrames > frameCount ? frameCount : end]);
      start = ranges.at(-1)![1];
    }
  }
  return ranges;
}

export const minFollowedSegments = 2;
/** How long a chunk of equal ranges may be, as a share of the target. */
const longestShare = 1.5;

type Followed = NonNullable<ChunkedRange['followed']>;

/** How many frames a worker encodes from a start on, before a viewer has played them. */
export function framesOfHeadStart({ frameRate }: FrameGrid, startFrame: number, followed: Followed): number {
  const { workerSpeed, playedSeconds } = followed;
  if (workerSpeed >= 1) return Number.POSITIVE_INFINITY;
  return (workerSpeed / (1 - workerSpeed)) * (startFrame - playedSeconds * toNumber(frameRate));
}

/**
 * The first frame ranges of a range that viewers reach while it is encoded. A worker that is slower than playback needs
 * a head start, and has more of it the later its chunk begins: the ranges grow until a whole chunk can be encoded.
 */
function followedChunkFrames(
  grid: FrameGrid,
  { startFrame, endFrame, followed }: ChunkedRange,
  targetFrames: number,
): [number, number][] {
  if (!followed) return [];
  const { segmentFrames } = grid;
  const ranges: [number, number][] = [];
  for (let start = startFrame; ; ) {
    const possibleFrames = framesOfHeadStart(grid, start, followed);
    const segments = Math.floor(Math.min(targetFrames, possibleFrames) / segmentFrames);
    const end = start + Math.max(minFollowedSegments, segments) * segmentFrames;
    // A rest of less than one segment is not worth a chunk.
    if (possibleFrames >= longestShare * targetFrames || end + segmentFrames > endFrame) return ranges;
    ranges.push([start, end]);
    start = end;
  }
}

const targetFramesOf = ({ frameRate }: FrameGrid, targetChunkSeconds: number): number =>
  Math.ceil(targetChunkSeconds * toNumber(frameRate) - 1e-6);

/** The frame ranges of a grid before chunks are merged where the source has few key frames. */
export function chunkRanges(grid: FrameGrid, range: ChunkedRange): [number, number][] {
  const { endFrame, targetChunkSeconds, startsShort = false, finishTogether } = range;
  const targetFrames = targetFramesOf(grid, targetChunkSeconds);
  const followed = followedChunkFrames(grid, range, targetFrames);
  const startFrame = followed.at(-1)?.[1] ?? range.startFrame;
  const video = { frameCount: endFrame - startFrame, segmentFrames: grid.segmentFrames, targetFrames };
  const ranges = startsShort
    ? growingChunkFrames(video)
    : finishTogether
      ? shrinkingChunkFrames(video, finishTogether)
      : chunkFrames(video);
  return [...followed, ...ranges.map(([start, end]): [number, number] => [startFrame + start, startFrame + end])];
}

/** The frames of a track, and which of them show the source. */
export type TrackFrames = { frameCount: number; pictures: PictureRange };

/**
 * The chunks of a range of one frame grid: the source range of each, and where decoding has to start. `startFrame` is a
 * whole number of segments. Where chunks meet, all groups of a grid have the same source time.
 */
export function planChunks(
  source: IndexedSource,
  grid: FrameGrid,
  { frameCount, pictures, ...range }: ChunkedRange & TrackFrames,
): Chunk[] {
  const endsBeforeSource = range.endFrame < Math.max(frameCount, pictures.end);
  const starts = chunkStarts(source, grid, pictures, [
    ...chunkRanges(grid, range).map(([start]) => start),
    ...(endsBeforeSource ? [range.endFrame] : []),
  ]);
  const after = endsBeforeSource ? starts.pop() : undefined;
  const merged = mergeLongLeads(starts, targetFramesOf(grid, range.targetChunkSeconds) / toNumber(grid.frameRate));
  return merged.map((position, index) =>
    chunkBetween(source, pictures, index, {
      start: starts[position]!,
      next: starts[merged[index + 1] ?? starts.length] ?? after,
      frameCount,
    }),
  );
}

/** The chunk from one start to the next, or to the end of the track. */
export function chunkBetween(
  { track, frames: { after } }: IndexedSource,
  pictures: PictureRange,
  index: number,
  { start, next, frameCount }: { start: ChunkStart; next: ChunkStart | undefined; frameCount: number },
): Chunk {
  const endFrame = next?.startFrame ?? frameCount;
  const frames = endFrame - start.startFrame;
  const shown = (next?.position ?? track.frameCount) - start.position;
  const heldBefore = Math.min(frames, Math.max(0, pictures.start - start.startFrame));
  // Its picture is the first one that can be decoded, which may be further in the file.
  const isBeforePictures = heldBefore === frames;
  return {
    index,
    startFrame: start.startFrame,
    endFrame,
    startPts: start.pts,
    endPts: next?.pts ?? after?.cutPts ?? Math.max(track.endPts, start.pts + 1),
    seekSeconds: start.seekSeconds,
    untilByte: isBeforePictures ? null : ((next ?? after)?.reachBytes ?? null),
    ...(shown < frames && { pictures: shown }),
    ...(heldBefore > 0 && { heldBefore }),
  };
}

/** Job time limits bound how many chunks can be merged into one. */
const maxMergedChunks = 4;
/** Decoding this much ahead of a chunk is always accepted, however short the chunks are. */
const maxDecodeLeadSeconds = 10;

/**
 * Positions of the chunks that remain. Where the source has key frames only every few minutes, a chunk must decode from
 * one far before its first frame. A chunk whose lead is longer than half a chunk is merged into the one before.
 */
function mergeLongLeads(starts: ChunkStart[], chunkSeconds: number): number[] {
  const longestLead = Math.max(maxDecodeLeadSeconds, chunkSeconds / 2);
  const remaining: number[] = [];
  for (const [position, { leadSeconds }] of starts.entries()) {
    const merged = position - (remaining.at(-1) ?? position);
    if (remaining.length === 0 || merged >= maxMergedChunks || leadSeconds <= longestLead) remaining.push(position);
  }
  return remaining;
}

type ChunkStart = {
  startFrame: number;
  pts: number;
  /** how many frames of the source begin before */
  position: number;
  /** null for the beginning of the file */
  seekSeconds: number | null;
  /** from the key frame where decoding starts to the first picture of the chunk */
  leadSeconds: number;
  /** the file must be read up to here for all frames up to the first of the chunk */
  reachBytes: number;
};

/** Walks the frame index once: it may have millions of frames. `startFrames` are in ascending order. */
export function chunkStarts(
  source: IndexedSource,
  grid: FrameGrid,
  pictures: PictureRange,
  startFrames: number[],
): ChunkStart[] {
  const { track, frames } = source;
  const secondsPerTick = toNumber(track.timeBase);
  const frame = { num: grid.frameRate.den, den: grid.frameRate.num };
  const gridOriginPts = Math.round(grid.sourceStartSeconds / secondsPerTick);
  const cursor = createCursor(source);
  return startFrames.map((startFrame) => {
    let pts: number;
    let position: number;
    if (grid.mode === 'passthrough') {
      position = Math.min(Math.max(0, startFrame - pictures.start), track.frameCount);
      while (cursor.position < Math.min(position, track.frameCount - 1)) cursor.step();
      // Repeated frames have the times that frames of the source would have.
      const early = Math.min(0, startFrame - pictures.start);
      const late = startFrame - pictures.start - track.frameCount;
      // Halfway between two frames: after a seek a decoder may return times that are off by some ticks.
      const halfwayTicks =
        position > 0
          ? Math.floor((frames.ptsDeltas[cursor.position] ?? 0) / 2)
          : cursor.pts - (frames.before?.cutPts ?? cursor.pts);
      pts =
        late < 0
          ? cursor.pts - halfwayTicks + rescale(early, frame, track.timeBase)
          : track.endPts + rescale(late, frame, track.timeBase);
    } else {
      pts = gridOriginPts + rescale(startFrame, frame, track.timeBase);
      // The frame shown at this grid point may be much older than it.
      while (cursor.nextPts !== undefined && cursor.nextPts <= pts) cursor.step();
      position = cursor.position + (cursor.pts < pts ? 1 : 0);
    }
    const { reachBytes } = cursor;
    // The edit of a frame is found by counting frames from the first one, so decoding has to start there.
    if (track.editShifts) {
      const leadSeconds = (cursor.pts - cursor.filePts) * secondsPerTick;
      return { startFrame, pts, position, reachBytes, seekSeconds: null, leadSeconds };
    }
    const seekSeconds = seekTime(source, grid, cursor);
    const isAtBeginning = !frames.before && (startFrame === 0 || position === 0);
    return {
      startFrame,
      pts,
      position,
      reachBytes,
      seekSeconds: isAtBeginning || seekSeconds <= cursor.filePts * secondsPerTick ? null : seekSeconds,
      leadSeconds: (cursor.pts - cursor.keyPts) * secondsPerTick,
    };
  });
}

/** A position in the frame index. */
function createCursor({ track, frames }: IndexedSource) {
  const firstPts = frames.ptsDeltas[0] ?? track.startPts;
  const startsWithKey = frames.keyFrames[0] === 0;
  const cursor = {
    /** of the first frame of the file */
    filePts: frames.before?.firstPts ?? firstPts,
    position: 0,
    pts: firstPts,
    reachBytes: frames.endByteDeltas[0] ?? 0,
    /** in the list of key frames, the last one so far; -1 before the first one */
    keyPosition: startsWithKey ? 0 : -1,
    /** of the frame where decoding starts: a key frame, or the first frame of the file, since nothing precedes it */
    keyPts: startsWithKey ? firstPts : (frames.before?.keyPts ?? firstPts),
    get nextPts(): number | undefined {
      const delta = frames.ptsDeltas[cursor.position + 1];
      return delta === undefined ? undefined : cursor.pts + delta;
    },
    step(): void {
      cursor.position++;
      cursor.pts += frames.ptsDeltas[cursor.position] ?? 0;
      cursor.reachBytes += frames.endByteDeltas[cursor.position] ?? 0;
      if (frames.keyFrames[cursor.keyPosition + 1] !== cursor.position) return;
      cursor.keyPosition++;
      cursor.keyPts = cursor.pts;
    },
  };
  return cursor;
}

/**
 * Where to seek for the current key frame. A demuxer with an index goes to the last key frame at or before the time.
 * The time is therefore a little later than the key frame, against rounding, but before the next frame or the second
 * field of this one.
 */
function seekTime(
  { track, frames, formatName }: IndexedSource,
  grid: FrameGrid,
  { keyPosition, keyPts }: ReturnType<typeof createCursor>,
): number {
  const secondsPerTick = toNumber(track.timeBase);
  const keySeconds = keyPts * secondsPerTick;
  if (!seeksByIndex(formatName)) return keySeconds - preRollSeconds;
  const halfFrameSeconds = grid.ticksPerFrame / grid.timescale / 2;
  const toNextTicks =
    keyPosition < 0 && frames.before
      ? frames.before.keyTicks
      : (frames.ptsDeltas[(frames.keyFrames[keyPosition] ?? 0) + 1] ?? 1);
  const toNextSeconds = toNextTicks * secondsPerTick;
  return keySeconds + Math.min(halfFrameSeconds, toNextSeconds / 2) / 2;
}
