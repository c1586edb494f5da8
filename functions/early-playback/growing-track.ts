import { manifestsPrefix } from '../../shared/object-keys.ts';
import { mediaPlaylistFile } from '../packaging/hls-file-names.ts';
import { needsStartDates } from '../packaging/hls-lines.ts';
import type { Video } from '../table/records.ts';
import { type Available, type AvailableSegment, availableSegments } from './available-segments.ts';
import { extendPlaylist, findGrowingPlaylist, type StoredPlaylist, startPlaylist } from './growing-playlist.ts';
import type { RunningOutput } from './running-output.ts';
import { audioTrack, rungOf, rungTrack, type SegmentedTrack } from './track-parts.ts';

/** A track with its playlist, and the stored segments that the playlist does not list yet. */
export type GrowingTrack = {
  track: SegmentedTrack;
  key: string;
  /** undefined before it is started */
  playlist: StoredPlaylist | undefined;
  /** of a call that died, or of an execution that has failed: the new playlist takes its place */
  replaced: StoredPlaylist | undefined;
  available: Available;
};

export const manifestsFolder = ({ video, output }: Pick<RunningOutput, 'video' | 'output'>): string =>
  manifestsPrefix(video.ulid, output.ulid, video.planNumber);

/** The track of a plan with this name. */
export const segmentedTrack = ({ plan }: RunningOutput, name: string): SegmentedTrack =>
  plan.audio.some((rendition) => rendition.name === name) ? audioTrack(plan, name) : rungTrack(plan, name);

/** @param isListed viewers have the playlist; otherwise the track is read from its start */
export async function readGrowingTrack(
  running: RunningOutput,
  track: SegmentedTrack,
  isListed: boolean,
): Promise<GrowingTrack> {
  const { video, plan } = running;
  const key = `${manifestsFolder(running)}${mediaPlaylistFile(track)}`;
  const stored = await findGrowingPlaylist(key);
  const [playlist, replaced] = isListed ? [stored, undefined] : [undefined, stored];
  const available = await availableSegments(ownerOf(video), plan, track, playlist?.count ?? 0);
  return { track, key, playlist, replaced, available };
}

/** The plan that the jobs belong to. */
export const ownerOf = ({ ulid, planNumber }: Video): { videoUlid: string; planNumber: number } => ({
  videoUlid: ulid,
  planNumber,
});

export const secondsOf = (segments: readonly AvailableSegment[]): number =>
  segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);

/** How long the listed segments play. */
export const listedSeconds = ({ playlist }: GrowingTrack): number => playlist?.seconds ?? 0;

/** Audio frames end a little after the end of the video frame. */
const audioToleranceSeconds = 0.1;

/** The next audio segments that end when the listed video does. Shaka ends a video whose audio is further than it. */
export function audioUpTo(track: GrowingTrack, videoSeconds: number): AvailableSegment[] {
  let end = listedSeconds(track);
  const first = track.available.segments.findIndex((segment) => {
    end += segment.durationSeconds;
    return end > videoSeconds + audioToleranceSeconds;
  });
  return first < 0 ? track.available.segments : track.available.segments.slice(0, first);
}

/**
 * Lists segments of a track, and ends its playlist when `isEnd`. False when the playlist has changed since it was read.
 */
export async function listSegments(
  running: RunningOutput,
  { track, key, playlist, replaced, available }: GrowingTrack,
  segments: AvailableSegment[],
  isEnd: boolean,
): Promise<boolean> {
  if (playlist) return extendPlaylist(playlist, segments, isEnd);
  if (!available.start) return false;
  const targetSeconds = Math.max(1, Math.round(longestSeconds(running, track)));
  const { initKey } = available.start;
  const datedSeconds = isDated(running) ? startSeconds(running, track) : undefined;
  return startPlaylist(key, replaced, { targetSeconds, datedSeconds, initKey, segments, isEnd });
}

/** As in the playlists that replace these. */
const isDated = (running: RunningOutput): boolean =>
  needsStartDates(
    [...running.planned.video, ...running.planned.audio].map((name) =>
      startSeconds(running, segmentedTrack(running, name)),
    ),
  );

/** On the output clock. Audio that starts later in the source begins with silence. */
function startSeconds({ plan }: RunningOutput, { name, kind }: SegmentedTrack): number {
  if (kind === 'audio') return 0;
  const { grid } = rungOf(plan, name);
  return grid.startTicks / grid.timescale;
}

/** By the plan, since the longest segment may not be encoded yet. */
function longestSeconds({ plan }: RunningOutput, { name, kind }: SegmentedTrack): number {
  if (kind === 'audio') return plan.audio.find((rendition) => rendition.name === name)!.segmentSeconds;
  const { grid } = rungOf(plan, name);
  return (grid.segmentFrames * grid.ticksPerFrame) / grid.timescale;
}

/** The codec strings of tracks that were read from their start, by name. */
export const codecsOf = (tracks: GrowingTrack[]): Record<string, string> =>
  Object.fromEntries(tracks.flatMap(({ track, available: { start } }) => (start ? [[track.name, start.codecs]] : [])));
