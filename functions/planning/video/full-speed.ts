import { toNumber } from '../../../shared/media/rational.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { estimatedCpuSeconds } from '../estimated-cpu-seconds.ts';
import type { RungGroup } from './rung-groups.ts';
import type { SourceContent } from './source-content.ts';

/**
 * Playback never waits when encoding is this much faster than playback: the time for queue, transfer and packaging is
 * in it, and a difference between parts of the video.
 */
const minSpeed = 1.5;

/**
 * A constant quality without a maximum bitrate needs as many bits as the content has, and CPU time for them. Noise at
 * CRF 18 took 3.4 times as long as expected of such a source.
 */
const unlimitedRateFactor = 4;

/** To decode the source and to scale its frames, measured with H.264. Larger sources take longer for the same rung. */
const decodeSecondsPerMegapixel = 0.002;

/** What the speed of an encode depends on besides its rungs. */
export type Conditions = {
  /** estimated CPU seconds of encodes that the workers can do in a second for this video */
  capacity: number;
  content: SourceContent;
};

/** Each part of a source, and how many seconds of it are encoded in a second. */
export type Pace = { seconds: number; speed: number }[];

export function encodePace(groups: RungGroup[], { capacity, content }: Conditions): Pace {
  const cpuSeconds = groups.reduce((sum, group) => sum + cpuSecondsPerSecond(group, content.pixels), 0);
  return content.stretches.map(({ seconds, contentFactor }) => {
    const speed = cpuSeconds > 0 ? capacity / (contentFactor * cpuSeconds) : Number.POSITIVE_INFINITY;
    return { seconds, speed };
  });
}

/** The time in which a range of the source is encoded. */
export function encodeSeconds(pace: Pace, { from = 0, to = Number.POSITIVE_INFINITY } = {}): number {
  let start = 0;
  let sum = 0;
  for (const { seconds, speed } of pace) {
    sum += Math.max(0, Math.min(to, start + seconds) - Math.max(from, start)) / speed;
    start += seconds;
  }
  return sum;
}

/** The speed of the encode from a time of the source on. */
export function averageSpeed(pace: Pace, from = 0): number {
  const seconds = pace.reduce((sum, stretch) => sum + stretch.seconds, 0) - from;
  return seconds > 0 ? seconds / encodeSeconds(pace, { from }) : Number.POSITIVE_INFINITY;
}

/** Whether a viewer who starts while the video is encoded usually never catches up with the encode of all rungs. */
export const keepsUpWithPlayback = (full: Pace): boolean => averageSpeed(full) >= minSpeed;

/** What playback has in reserve at the end of each chunk, for the start of jobs, uploads and playlists. */
export const reserveSeconds = 10;

/**
 * How much of a video the starter must be encoded alone, so that all rungs of what follows are encoded some time before
 * a viewer who starts at once gets there. After h seconds that take A(h), the encode of all rungs up to second t takes
 * F(t) - F(h). With a reserve r, A(h) + F(t) - F(h) + r <= t holds for all later t.
 */
export function secondsAhead(full: Pace, alone: Pace): number {
  // Playback stays behind such an encode: the first segments of the starter are encoded before it begins.
  if (full.every(({ speed }) => speed >= 1)) return 0;
  const limits = limitsAt(full);
  let start = 0;
  // A(h) - F(h)
  let lead = 0;
  for (const [n, { seconds, speed }] of full.entries()) {
    const limit = limits[n]!;
    if (lead <= limit) return start;
    const leadAtEnd = lead + seconds / alone[n]!.speed - seconds / speed;
    if (leadAtEnd <= limit) return start + (seconds * (lead - limit)) / (lead - leadAtEnd);
    lead = leadAtEnd;
    start += seconds;
  }
  return start;
}

/** The least t - F(t) - r at the ends of a stretch and of those after it. */
function limitsAt(full: Pace): number[] {
  let end = 0;
  let encoded = 0;
  const limits = full.map(({ seconds, speed }) => {
    end += seconds;
    encoded += seconds / speed;
    return end - encoded - reserveSeconds;
  });
  for (let n = limits.length - 2; n >= 0; n--) limits[n] = Math.min(limits[n]!, limits[n + 1]!);
  return limits;
}

/** Estimated CPU seconds of a group for one second of video, without the start of its jobs. */
function cpuSecondsPerSecond({ grid, rungs }: RungGroup, sourcePixels: number): number {
  const framesPerSecond = toNumber(grid.frameRate);
  const estimate = (of: Rung[], endFrame: number) => estimatedCpuSeconds({ startFrame: 0, endFrame }, grid, of);
  const perSecond = (of: Rung[]) => (estimate(of, 1) - estimate(of, 0)) * framesPerSecond;
  const unlimited = rungs.filter(({ rate }) => rate.mode === 'crf' && rate.maxBitrateBps === null);
  const added = (unlimitedRateFactor - 1) * (perSecond(unlimited) - perSecond([]));
  const decode = rungs.every(({ copied }) => copied)
    ? 0
    : (sourcePixels / 1e6) * decodeSecondsPerMegapixel * framesPerSecond;
  return perSecond(rungs) + added + decode;
}
