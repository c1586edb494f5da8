import { type MuxedTrack, type PackagedTrack, startSecondsOf } from '../job-results/packaged-track.ts';
import { durationTag, hlsLines, mediaSegmentLines, quoted, startDateTag } from './hls-lines.ts';

/** A track in fragmented MP4 segments. Without `init` it is in MPEG-TS segments. */
export type PlaylistTrack = MuxedTrack & Partial<Pick<PackagedTrack, 'init'>>;

/** `isDated`: the tracks of the output start at different times. */
type OfOutput = { tracks?: readonly PlaylistTrack[]; isDated?: boolean };

/** The media playlist of one track, of type VOD. */
export function mediaPlaylist(track: PlaylistTrack, output: OfOutput = {}): string {
  const seconds = secondsOf(track, output);
  return hlsLines([
    ...mediaPlaylistHead(seconds, track),
    ...mapTag(track),
    ...dateTag(track, output),
    ...track.segments.flatMap(({ path }, n) => mediaSegmentLines({ path, durationSeconds: seconds[n]! })),
    '#EXT-X-ENDLIST',
  ]);
}

/**
 * Whether an I-frame playlist can be written for the track. Players use it for trick play (fast forward, scrubbing).
 */
export const supportsIFramePlaylist = ({ init, segments }: PlaylistTrack): boolean =>
  init !== undefined && segments.every(({ keyFrameBytes }) => keyFrameBytes !== undefined);

/**
 * The I-frame playlist of one track: the first keyframe of each segment, which is a byte range from the start of its
 * file.
 */
export function iFramePlaylist(track: PlaylistTrack, output: OfOutput = {}): string {
  const seconds = secondsOf(track, output);
  return hlsLines([
    ...mediaPlaylistHead(seconds, track),
    '#EXT-X-I-FRAMES-ONLY',
    ...mapTag(track),
    ...dateTag(track, output),
    ...track.segments.flatMap(({ path, keyFrameBytes }, n) => [
      `${durationTag}${seconds[n]!.toFixed(6)},`,
      `#EXT-X-BYTERANGE:${keyFrameBytes}@0`,
      encodeURI(path),
    ]),
    '#EXT-X-ENDLIST',
  ]);
}

const secondsOf = (track: PlaylistTrack, { tracks = [], isDated = false }: OfOutput): number[] =>
  playlistSeconds(track, tracks, isDated);

const mediaPlaylistHead = (seconds: number[], track: PlaylistTrack): string[] => [
  ...playlistHead([track]),
  `#EXT-X-TARGETDURATION:${Math.round(Math.max(1, ...seconds))}`,
  '#EXT-X-MEDIA-SEQUENCE:0',
  '#EXT-X-PLAYLIST-TYPE:VOD',
];

const dateTag = (track: PlaylistTrack, { isDated = false }: OfOutput): string[] =>
  isDated ? [startDateTag(startSecondsOf(track))] : [];

const mapTag = ({ init }: PlaylistTrack): string[] => (init ? [`#EXT-X-MAP:URI=${quoted(encodeURI(init.path))}`] : []);

/**
 * The lowest version that the tracks need, because old set-top boxes reject versions that they do not know: 3 for
 * MPEG-TS, 7 for fragmented MP4 (allowed from 6, commonly implemented from 7).
 */
export const playlistHead = (tracks: PlaylistTrack[]): string[] => [
  '#EXTM3U',
  `#EXT-X-VERSION:${tracks.some(({ init }) => init) ? 7 : 3}`,
  '#EXT-X-INDEPENDENT-SEGMENTS',
];

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
function playlistSeconds(track: MuxedTrack, others: readonly MuxedTrack[], isDated: boolean): number[] {
  const alike = others.filter(({ kind }) => isDated || kind === track.kind);
  const durations = rounded(track);
  const missing = Math.max(0, ...alike.map((other) => sum(rounded(other)))) - sum(durations);
  return durations.map(
    (duration, n) => (n === durations.length - 1 ? duration + Math.max(0, missing) : duration) / perSecond,
  );
}
