import { toNumber } from '../../../shared/media/rational.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { estimatedCpuSeconds } from '../estimated-cpu-seconds.ts';
import type { RungGroup } from './rung-groups.ts';

/**
 * Playback never waits when encoding is this much faster than playback: the time for queue, transfer and packaging is
 * in it, and a difference between parts of the video.
 */
const minSpeed = 1.5;

/**
 * Filmed content takes between 0.3 and 2.7 times the estimate of its CPU seconds. A speed that is expected too high
 * makes playback wait, one that is expected too low costs one more decode: so it is expected low. With 1.8, that decode
 * costs about 3 % of the automatic ladder on two cores, and 5 % with a source of 12 Mbit/s.
 */
const contentFactor = 1.8;
/**
 * A constant quality without a maximum bitrate needs as many bits as the content has, and CPU time for them. Noise at
 * CRF 18 took 3.4 times as long as the estimate with the factor above.
 */
const unlimitedRateFactor = 4;

/** To decode the source and to scale its frames, measured with H.264. Larger sources take longer for the same rung. */
const decodeSecondsPerMegapixel = 0.002;

/** What the speed of an encode depends on besides its rungs. */
export type Conditions = {
  /** estimated CPU seconds of encodes that the workers can do in a second for this video */
  capacity: number;
  /** pixels of a frame of the source */
  sourcePixels: number;
};

/** Seconds of video that are encoded in a second. */
export function encodeSpeed(groups: RungGroup[], { capacity, sourcePixels }: Conditions): number {
  const cpuSeconds = groups.reduce((sum, group) => sum + highCpuSecondsPerSecond(group, sourcePixels), 0);
  return cpuSeconds > 0 ? capacity / cpuSeconds : Number.POSITIVE_INFINITY;
}

/** Whether a viewer who starts while the video is encoded never catches up with the encode of all rungs. */
export const keepsUpWithPlayback = (fullSpeed: number): boolean => fullSpeed >= minSpeed;

/** What playback has in reserve at the end of each chunk, for the start of jobs, uploads and playlists. */
export const reserveSeconds = 10;

/**
 * How much of a video the starter must be encoded alone, so that all rungs of the rest are encoded some time before a
 * viewer who starts at once reaches the end. With h seconds of a video of d seconds encoded at speed s, the rest at
 * speed f and a reserve of r seconds: h + f × (d - r - h / s) = d.
 */
export function secondsAhead(durationSeconds: number, { full, alone }: { full: number; alone: number }): number {
  if (full >= 1) return 0;
  if (alone <= 1) return durationSeconds;
  const ahead = (durationSeconds * (1 - full) + full * reserveSeconds) / (1 - full / alone);
  return Math.min(durationSeconds, ahead);
}

/** CPU seconds of a group for one second of video that is hard to encode, without the start of its jobs. */
function highCpuSecondsPerSecond({ grid, rungs }: RungGroup, sourcePixels: number): number {
  const framesPerSecond = toNumber(grid.frameRate);
  const estimate = (of: Rung[], endFrame: number) => estimatedCpuSeconds({ startFrame: 0, endFrame }, grid, of);
  const perSecond = (of: Rung[]) => (estimate(of, 1) - estimate(of, 0)) * framesPerSecond;
  const unlimited = rungs.filter(({ rate }) => rate.mode === 'crf' && rate.maxBitrateBps === null);
  const added = (unlimitedRateFactor - 1) * (perSecond(unlimited) - perSecond([]));
  const decode = rungs.every(({ copied }) => copied)
    ? 0
    : (sourcePixels / 1e6) * decodeSecondsPerMegapixel * framesPerSecond;
  return contentFactor * (perSecond(rungs) + added + decode);
}
