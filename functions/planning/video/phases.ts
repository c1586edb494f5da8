import { toNumber } from '../../../shared/media/rational.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { type ChunkedRange, framesOfHeadStart, minFollowedSegments, shortChunkSegments } from './chunks.ts';
import {
  averageSpeed,
  type Conditions,
  encodePace,
  encodeSeconds,
  keepsUpWithPlayback,
  reserveSeconds,
  secondsAhead,
} from './full-speed.ts';
import type { RungGroup } from './rung-groups.ts';
import type { Starter } from './starter.ts';

/**
 * When a group is encoded: 0 is the starter alone, at least over the first segments. What follows depends on the speed
 * of the encode, see `phasedGroups`. Without a starter all groups are of phase 1.
 */
export type Phase = 0 | 1 | 2;

/** A part of a group: some of its rungs over some of its frames. A rung may be in several that follow each other. */
export type PhasedGroup = RungGroup & ChunkedRange & { phase: Phase };
type Part = Omit<PhasedGroup, 'phase'>;

type Choice = Conditions & {
  starter: Starter | null;
  targetChunkSeconds: number;
  /** how many jobs of the video can run at the same time */
  workers: number;
};

/**
 * Divides groups of rungs into phases, in the order in which they are encoded. The starter gets ahead of the other
 * rungs of its grid, no further than needed, since it is decoded once more for that:
 * - an encode much faster than playback: the first segments of the starter, of the other rungs, then all rungs of the
 *   rest;
 * - a slower one: as much of the starter that playback does not wait, then all rungs of the rest, which playback needs
 *   next, then the other rungs of the beginning.
 *
 * A copied rung is a single chunk, because it takes seconds, and because all of it is encoded if it cannot be copied.
 * A single picture has long chunks.
 */
export function phasedGroups(groups: RungGroup[], choice: Choice): PhasedGroup[] {
  const { starter, targetChunkSeconds, workers } = choice;
  const full = encodePace(groups, choice);
  const parts = groups.flatMap((group): PhasedGroup[] => {
    const { rungs, frameCount } = group;
    const all = { ...group, startFrame: 0, endFrame: frameCount, targetChunkSeconds };
    const first = rungs.filter(({ name }) => name === starter?.rung);
    const others = rungs.filter(({ name }) => name !== starter?.rung);
    if (rungs.some(({ copied }) => copied)) {
      return [{ ...all, targetChunkSeconds: Number.POSITIVE_INFINITY, phase: starter && first.length > 0 ? 0 : 1 }];
    }
    if (isStill(group)) {
      const whole = { ...all, targetChunkSeconds: stillChunkSeconds };
      const parts = [
        { ...whole, rungs: first, phase: 0 as const },
        { ...whole, rungs: others, phase: starter && first.length === 0 ? (2 as const) : (1 as const) },
      ];
      return parts.filter(({ rungs: some }) => some.length > 0);
    }
    if (first.length === 0) return [{ ...all, phase: starter ? 2 : 1 }];
    const alone = { ...all, phase: 0 as const, rungs: first, startsShort: true };
    if (others.length === 0) return [alone];
    const paceAlone = encodePace([{ ...group, rungs: first }], choice);
    const seconds = secondsAhead(full, paceAlone);
    const followedFrom = (startFrame: number) => {
      const startSeconds = secondsOf(startFrame, group);
      return {
        workerSpeed: averageSpeed(full, startSeconds) / workers,
        playedSeconds: encodeSeconds(paceAlone, { to: startSeconds }) + reserveSeconds,
      };
    };
    const aheadFrames = framesAhead(group, {
      seconds: starter?.aheadSeconds ?? 0,
      segments: leastAheadSegments(group, followedFrom),
      targetChunkSeconds,
    });
    const endFrame = Math.max(aheadFrames, framesAhead(group, { seconds, segments: 0, targetChunkSeconds }));
    const keepsUp = keepsUpWithPlayback(full) && endFrame === aheadFrames;
    const beside = { ...all, rungs: others, endFrame };
    if (endFrame === frameCount) return [alone, { ...beside, phase: 1 }];
    const rest = { ...all, startFrame: endFrame, followed: followedFrom(endFrame) };
    return keepsUp
      ? [
          { ...alone, endFrame },
          // Two chunks: a single one would take longer than each of the others.
          { ...beside, phase: 1, targetChunkSeconds: targetChunkSeconds * 0.75 },
          { ...rest, phase: 2, ...(hasFewChunks(rest, workers) && { finishTogether: workers }) },
        ]
      : [
          { ...alone, endFrame },
          { ...rest, phase: 1 },
          { ...beside, phase: 2 },
        ];
  });
  return parts.toSorted((a, b) => a.phase - b.phase).map((part, index) => ({ ...part, index }));
}

const isStill = ({ pictures }: RungGroup): boolean => pictures.end - pictures.start === 1;

/**
 * A single picture is encoded in seconds, of which the start of a job is the largest part. Segments are stored and
 * played while the chunk is encoded.
 */
const stillChunkSeconds = 1800;

/** With fewer workers, the others wait only shortly for the last one. */
const minWorkers = 8;

/**
 * Whether each worker gets so few chunks that the video waits for the last ones, unless these are short. When there are
 * more workers than chunks, each chunk ends by itself.
 */
function hasFewChunks(part: Part, workers: number): boolean {
  const chunks = secondsOf(part.endFrame - part.startFrame, part) / part.targetChunkSeconds;
  return workers >= minWorkers && chunks >= 0.75 * workers && chunks < 4 * workers;
}

/** How many segments of the starter are encoded before anything else, at most, unless playback needs more. */
const maxFirstSegments = shortChunkSegments.reduce((sum, segments) => sum + segments, 0);
/** A player that has one segment needs the next ones while all rungs of what follows begin to be encoded. */
const minFirstSegments = shortChunkSegments.slice(0, -1).reduce((sum, segments) => sum + segments, 0);

/** Whether a chunk of the starter starts within what is encoded before anything else. */
export function isAheadChunk(
  { startFrame }: Pick<Chunk, 'startFrame'>,
  { segmentFrames, frameRate }: FrameGrid,
  { aheadSeconds = 0 }: Starter,
): boolean {
  return startFrame < Math.max(maxFirstSegments * segmentFrames, aheadSeconds * toNumber(frameRate));
}

/**
 * How many segments of the starter are encoded alone at least: so many that a worker that then encodes all rungs has
 * the head start that it needs for a chunk. Each of them is decoded twice.
 */
function leastAheadSegments(
  { grid }: RungGroup,
  followedFrom: (startFrame: number) => NonNullable<ChunkedRange['followed']>,
): number {
  let segments = minFirstSegments;
  const suffices = (startFrame: number): boolean => {
    const followed = followedFrom(startFrame);
    return (
      startFrame > followed.playedSeconds * toNumber(grid.frameRate) &&
      framesOfHeadStart(grid, startFrame, followed) >= minFollowedSegments * grid.segmentFrames
    );
  };
  while (segments < maxFirstSegments && !suffices(segments * grid.segmentFrames)) segments++;
  return segments;
}

/**
 * The frames that the starter is encoded alone: whole segments, and the whole track when the rest is shorter than half
 * a chunk.
 */
function framesAhead(
  { grid, frameCount }: RungGroup,
  { seconds, segments, targetChunkSeconds }: { seconds: number; segments: number; targetChunkSeconds: number },
): number {
  const framesPerSecond = toNumber(grid.frameRate);
  const needed = Math.ceil((seconds * framesPerSecond) / grid.segmentFrames - 1e-6);
  const frames = Math.max(segments, needed) * grid.segmentFrames;
  return frameCount - frames < (targetChunkSeconds * framesPerSecond) / 2 ? frameCount : frames;
}

const secondsOf = (frames: number, { grid: { frameRate } }: Pick<RungGroup, 'grid'>): number =>
  (frames * frameRate.den) / frameRate.num;
