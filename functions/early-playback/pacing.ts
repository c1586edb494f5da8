/** How much slower than before the rest of a track may be encoded without a stall. */
const safetyFactor = 1.25;

/** The time that a job takes before it encodes: its lease, the start of ffmpeg and the first reads of the source. */
const startUpSeconds = 1;

/** How far a track is encoded from its start, and how long that took. */
export type Pace = { frontierSeconds: number; elapsedSeconds: number; durationSeconds: number };

/**
 * Whether a viewer who starts now plays to the end without waiting: the rest is encoded, as fast as the part before the
 * frontier was, in less than the time that the whole plays.
 */
export function keepsAhead({ frontierSeconds, elapsedSeconds, durationSeconds }: Pace): boolean {
  if (frontierSeconds <= 0) return false;
  const secondsPerSecond = Math.max(0, elapsedSeconds - startUpSeconds) / frontierSeconds;
  const remainingSeconds = secondsPerSecond * Math.max(0, durationSeconds - frontierSeconds);
  return remainingSeconds * safetyFactor <= durationSeconds;
}

/** Share of the stored segments that an extension lists at most. */
const releasedShare = 0.5;

/**
 * How many of the segments that are stored but not listed are listed now. When chunks end out of order, many segments
 * become available at once and then none for a while. Players give up on a playlist that does not grow, so a part is
 * kept for the next extensions.
 */
export const releasedCount = (storedCount: number): number =>
  Math.min(storedCount, Math.max(2, Math.ceil(storedCount * releasedShare)));

/** Time between two extensions: short at first, since a player needs the second segment before the first one ends. */
export function extensionInterval(playableMilliseconds: number | undefined): number {
  if (playableMilliseconds === undefined) return 500;
  return playableMilliseconds < 15_000 ? 1_000 : 4_000;
}
