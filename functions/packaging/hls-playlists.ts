import { toNumber } from '../../shared/media/rational.ts';
import { numberedName } from '../common/numbered-name.ts';
import {
  averageBandwidth,
  codecFamily,
  keyFrameBandwidth,
  languageTag,
  longestSegmentSeconds,
  type MuxedTrack,
  type PackagedTrack,
  peakBandwidth,
  viewerLabel,
} from './packaged-track.ts';

/** A track of fragmented MP4, or without `init` one of transport stream segments. */
type PlaylistTrack = MuxedTrack & Partial<Pick<PackagedTrack, 'init'>>;

type PathOf = (track: PlaylistTrack) => string;
type AudioGroup = { id: string; tracks: PlaylistTrack[] };

/**
 * The master playlist: a variant for each video track and audio codec, the languages of a codec as one group of renditions. Without video the default
 * track of each codec is the variant. Muxed tracks are given as video, or as audio when they have no picture.
 */
export function hlsMaster(
  { video, audio }: { video: PlaylistTrack[]; audio: PlaylistTrack[] },
  mediaPlaylistPath: PathOf,
  keyFramePlaylistPath: PathOf,
): string {
  const groups = audioGroups(audio);
  const needsMedia = video.length > 0 || groups.some(({ tracks }) => tracks.length > 1);
  const variants =
    video.length > 0
      ? video.flatMap((track) =>
          groups.length === 0
            ? variant(track, null, mediaPlaylistPath)
            : groups.flatMap((group) => variant(track, group, mediaPlaylistPath)),
        )
      : groups.flatMap((group) => variant(defaultOf(group), needsMedia ? group : null, mediaPlaylistPath));
  return lines([
    ...head([...video, ...audio]),
    ...(needsMedia ? groups.flatMap((group) => renditions(group, mediaPlaylistPath)) : []),
    ...variants,
    ...video.filter(hasKeyFrames).map((track) => keyFrameVariant(track, keyFramePlaylistPath)),
  ]);
}

/** The media playlist of one track, whole and final. */
export function hlsMedia(track: PlaylistTrack): string {
  return lines([
    ...mediaHead(track),
    ...mapOf(track),
    ...track.segments.flatMap(({ path, durationTicks }) => [
      `#EXTINF:${(durationTicks / track.timescale).toFixed(6)},`,
      encodeURI(path),
    ]),
    '#EXT-X-ENDLIST',
  ]);
}

/** Whether the track can be shown by its key frames alone, which players do to wind it. */
export const hasKeyFrames = ({ init, segments }: PlaylistTrack): boolean =>
  init !== undefined && segments.every(({ keyFrameBytes }) => keyFrameBytes !== undefined);

/** A track's key frames, the first of each segment: heads of the segments' files. */
export function hlsKeyFrames(track: PlaylistTrack): string {
  return lines([
    ...mediaHead(track),
    '#EXT-X-I-FRAMES-ONLY',
    ...mapOf(track),
    ...track.segments.flatMap(({ path, durationTicks, keyFrameBytes }) => [
      `#EXTINF:${(durationTicks / track.timescale).toFixed(6)},`,
      `#EXT-X-BYTERANGE:${keyFrameBytes}@0`,
      encodeURI(path),
    ]),
    '#EXT-X-ENDLIST',
  ]);
}

const mediaHead = (track: PlaylistTrack): string[] => [
  ...head([track]),
  `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(longestSegmentSeconds(track)))}`,
  '#EXT-X-MEDIA-SEQUENCE:0',
  '#EXT-X-PLAYLIST-TYPE:VOD',
];

const mapOf = ({ init }: PlaylistTrack): string[] => (init ? [`#EXT-X-MAP:URI=${quoted(encodeURI(init.path))}`] : []);

/** Old set-top boxes refuse versions they do not know; transport streams need no more than 3, fragmented MP4 came with 6, in wide use with 7. */
const head = (tracks: PlaylistTrack[]): string[] => [
  '#EXTM3U',
  `#EXT-X-VERSION:${tracks.some(({ init }) => init) ? 7 : 3}`,
  '#EXT-X-INDEPENDENT-SEGMENTS',
];

function audioGroups(audio: PlaylistTrack[]): AudioGroup[] {
  const byCodec = Map.groupBy(audio, codecFamily);
  return [...byCodec].map(([family, tracks]) => ({ id: `audio-${family}`, tracks }));
}

/** What players begin with: the first, as the plan has them. */
const defaultOf = ({ tracks }: AudioGroup): PlaylistTrack => tracks[0]!;

/** One default per group, names that differ, and one track per language for players to choose by themselves: RFC 8216, 4.3.4.1.1. */
function renditions(group: AudioGroup, pathOf: PathOf): string[] {
  const preferred = defaultOf(group);
  const names = new Set<string>();
  const languages = new Set([languageTag(preferred)]);
  return [preferred, ...group.tracks.filter((track) => track !== preferred)].map((track) => {
    const language = languageTag(track);
    const isFirstOfLanguage = track === preferred || !languages.has(language);
    languages.add(language);
    return tag('EXT-X-MEDIA', {
      TYPE: 'AUDIO',
      'GROUP-ID': quoted(group.id),
      NAME: quoted(numberedName(viewerLabel(track), names)),
      LANGUAGE: language === 'und' ? undefined : quoted(language),
      DEFAULT: track === preferred ? 'YES' : 'NO',
      AUTOSELECT: isFirstOfLanguage ? 'YES' : 'NO',
      CHANNELS: track.channels === undefined ? undefined : quoted(String(track.channels)),
      URI: quoted(encodeURI(pathOf(track))),
    });
  });
}

function variant(track: PlaylistTrack, group: AudioGroup | null, pathOf: PathOf): string[] {
  // The group's costliest rendition counts, since a viewer may choose it.
  const audio = track.kind === 'video' && group ? group.tracks : [];
  const most = (bandwidth: (track: PlaylistTrack) => number) =>
    bandwidth(track) + Math.max(0, ...audio.map((rendition) => bandwidth(rendition)));
  const codecs = new Set([track.codecs, ...(group?.tracks ?? []).map((rendition) => rendition.codecs)]);
  return [
    tag('EXT-X-STREAM-INF', {
      BANDWIDTH: String(most(peakBandwidth)),
      'AVERAGE-BANDWIDTH': String(most(averageBandwidth)),
      CODECS: quoted([...codecs].join(',')),
      ...pictureOf(track),
      'FRAME-RATE': track.frameRate ? toNumber(track.frameRate).toFixed(3) : undefined,
      AUDIO: group ? quoted(group.id) : undefined,
    }),
    encodeURI(pathOf(track)),
  ];
}

function keyFrameVariant(track: PlaylistTrack, pathOf: PathOf): string {
  return tag('EXT-X-I-FRAME-STREAM-INF', {
    BANDWIDTH: String(keyFrameBandwidth(track)),
    CODECS: quoted(track.codecs),
    ...pictureOf(track),
    URI: quoted(encodeURI(pathOf(track))),
  });
}

/** RESOLUTION is the size at which the picture is to be shown, whatever the shape of its pixels. */
const pictureOf = ({
  width,
  height,
  sampleAspectRatio,
  videoRange,
}: PlaylistTrack): Record<string, string | undefined> => ({
  RESOLUTION: width && height ? `${shownWidth(width, sampleAspectRatio)}x${height}` : undefined,
  'VIDEO-RANGE': videoRange,
});

const shownWidth = (width: number, pixel: PlaylistTrack['sampleAspectRatio']): number =>
  pixel ? Math.max(1, Math.round((width * pixel.num) / pixel.den)) : width;

function tag(name: string, attributes: Record<string, string | undefined>): string {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return `#${name}:${present.map(([key, value]) => `${key}=${value}`).join(',')}`;
}

/** The format has no escape: what would end the string or the line is left out. */
const quoted = (text: string): string => `"${text.replace(/["\r\n]/g, '')}"`;

const lines = (all: string[]): string => `${all.join('\n')}\n`;
