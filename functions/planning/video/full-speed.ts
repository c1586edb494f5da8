import { toNumber } from '../../../shared/media/rational.ts';
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
 * costs less than 3 % of the automatic ladder on two cores.
 */
const contentFactor = 1.8;

/** Seconds of video that are encoded in a second. */
export function encodeSpeed(groups: RungGroup[], capacity: number): number {
  const cpuSeconds = groups.reduce((sum, group) => sum + cpuSecondsPerSecond(group), 0);
  return cpuSeconds > 0 ? capacity / (contentFactor * cpuSeconds) : Number.POSITIVE_INFINITY;
}

/** Whether a viewer who starts while the video is encoded never catches up with the encode of all rungs. */
export const keepsUpWithPlayback = (groups: RungGroup[], capacity: number): boolean =>
  encodeSpeed(groups, capacity) >= minSpeed;

/**
 * The share of a video that the starter must be encoded alone, so that a viewer who starts at once reaches the end when
 * all rungs of the rest are encoded. With h of the video encoded at speed s and the rest at speed f, in seconds of
 * video: h + f × (1 - h / s) = 1.
 */
export function shareAhead(groups: RungGroup[], starter: RungGroup, capacity: number): number {
  const full = encodeSpeed(groups, capacity);
  const alone = encodeSpeed([starter], capacity);
  if (full >= 1) return 0;
  return alone <= 1 ? 1 : Math.min(1, (1 - full) / (1 - full / alone));
}

/** CPU seconds of a group for one second of video, without the start of its jobs. */
function cpuSecondsPerSecond({ grid, rungs }: RungGroup): number {
  const estimate = (endFrame: number) => estimatedCpuSeconds({ startFrame: 0, endFrame }, grid, rungs);
  return (estimate(1) - estimate(0)) * toNumber(grid.frameRate);
}
