import type { MuxedTrack } from '../job-results/packaged-track.ts';

/** Playlists list durations with six digits, and players add up what is listed. */
const perSecond = 1e6;

const rounded = ({ segments, timescale }: MuxedTrack): number[] =>
  segments.map(({ durationTicks }) => Math.round((durationTicks * perSecond) / timescale));

const sum = (durations: number[]): number => durations.reduce((total, duration) => total + duration, 0);

/**
 * The durations in seconds that the playlist of a track lists. The last one may be some milliseconds longer than its
 * segment: all video tracks have the same length, and so have all audio tracks. Shaka Player takes the length of the
 * presentation from the first playlists that it loads, and waits at the end for ever after a switch to a shorter one.
 * If the playlists have dates, video and audio have one length too: Shaka Player cuts both to the shorter one, and only
 * then moves them to their dates, so that the one that starts first would end too early.
 * @param others all tracks of the output
 */
export function playlistSeconds(track: MuxedTrack, others: readonly MuxedTrack[], isDated: boolean): number[] {
  const alike = others.filter(({ kind }) => isDated || kind === track.kind);
  const durations = rounded(track);
  const missing = Math.max(0, ...alike.map((other) => sum(rounded(other)))) - sum(durations);
  return durations.map(
    (duration, n) => (n === durations.length - 1 ? duration + Math.max(0, missing) : duration) / perSecond,
  );
}
