import { toNumber } from '../../shared/media/rational.ts';
import {
  averageBandwidth,
  codecFamily,
  iFrameBandwidth,
  languageTag,
  peakBandwidth,
} from '../job-results/packaged-track.ts';
import { type AudioGroup, audioGroups, listedTracks } from './audio-groups.ts';
import { characteristicsOf } from './audio-role-properties.ts';
import type { TextRendition } from './captions/text-renditions.ts';
import { startTag } from './event-playlist.ts';
import { hlsLines, hlsTag, quoted } from './hls-lines.ts';
import { type PlaylistTrack, playlistHead, supportsIFramePlaylist } from './media-playlist.ts';

type PathOf = (track: PlaylistTrack) => string;

type Tracks = {
  video: PlaylistTrack[];
  audio: PlaylistTrack[];
  text?: TextRendition[];
  /** the media playlists are growing */
  isRunning?: boolean;
};

/**
 * The multivariant playlist: one variant for each pair of video track and audio group. Without video, the variants are
 * the default tracks of the groups. Muxed tracks are passed as video, or as audio when they have no video.
 */
export function multivariantPlaylist(
  { video, audio, text = [], isRunning = false }: Tracks,
  mediaPlaylistPath: PathOf,
  iFramePlaylistPath: PathOf,
): string {
  const groups = audioGroups(audio);
  const hasClosedCaptions = video.some(({ closedCaptions }) => closedCaptions);
  // Without NONE, Shaka Player searches the middle and the last segment for captions, which are not encoded yet. If one
  // variant has NONE, all must have it.
  const hasNoClosedCaptions = isRunning && !hasClosedCaptions;
  const variant = (track: PlaylistTrack, group: AudioGroup<PlaylistTrack> | null): string[] =>
    variantTags(track, group, { hasNoClosedCaptions, hasText: text.length > 0, path: mediaPlaylistPath(track) });
  // Only a group says how many channels a track has.
  const hasChannelGroups = new Set(groups.map((group) => codecFamily(defaultTrack(group)))).size < groups.length;
  const needsGroups = video.length > 0 || hasChannelGroups || groups.some(({ tracks }) => tracks.length > 1);
  const variants =
    video.length > 0
      ? video.flatMap((track) =>
          groups.length === 0 ? variant(track, null) : groups.flatMap((group) => variant(track, group)),
        )
      : groups.flatMap((group) => variant(defaultTrack(group), needsGroups ? group : null));
  return hlsLines([
    ...playlistHead([...video, ...audio]),
    ...(isRunning ? [startTag] : []),
    ...(needsGroups ? groups.flatMap((group) => renditionTags(group, mediaPlaylistPath)) : []),
    ...text.map(subtitleTag),
    ...(hasClosedCaptions ? [closedCaptionTag] : []),
    ...variants,
    ...video.filter(supportsIFramePlaylist).map((track) => iFrameVariant(track, iFramePlaylistPath)),
  ]);
}

/** The track that players start with: the first of the plan. */
const defaultTrack = ({ tracks }: AudioGroup<PlaylistTrack>): PlaylistTrack => tracks[0]!;

const renditionTags = (group: AudioGroup<PlaylistTrack>, pathOf: PathOf): string[] =>
  listedTracks(group).map(({ track, name, isDefault, isAutomatic }) => {
    const language = languageTag(track);
    const characteristics = characteristicsOf(track);
    return hlsTag('EXT-X-MEDIA', {
      TYPE: 'AUDIO',
      'GROUP-ID': quoted(group.id),
      NAME: quoted(name),
      LANGUAGE: language === 'und' ? undefined : quoted(language),
      DEFAULT: isDefault ? 'YES' : 'NO',
      AUTOSELECT: isAutomatic ? 'YES' : 'NO',
      CHARACTERISTICS: characteristics && quoted(characteristics),
      CHANNELS: track.channels === undefined ? undefined : quoted(String(track.channels)),
      URI: quoted(encodeURI(pathOf(track))),
    });
  });

const closedCaptionGroup = 'cc';
/** The captions in the frames of H.264. Their language is not known. */
const closedCaptionTag = hlsTag('EXT-X-MEDIA', {
  TYPE: 'CLOSED-CAPTIONS',
  'GROUP-ID': quoted(closedCaptionGroup),
  NAME: quoted('CC'),
  DEFAULT: 'NO',
  AUTOSELECT: 'YES',
  'INSTREAM-ID': quoted('CC1'),
});

const textGroup = 'text';
/** What Apple's players show as SDH: subtitles for viewers who cannot hear. */
const forDeafViewers = 'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound';

/** FORCED and CHARACTERISTICS tell tracks of one language apart, so each may be selected automatically. */
const subtitleTag = ({ language, kind, name, isDefault, path }: TextRendition): string =>
  hlsTag('EXT-X-MEDIA', {
    TYPE: 'SUBTITLES',
    'GROUP-ID': quoted(textGroup),
    NAME: quoted(name),
    LANGUAGE: language === 'und' ? undefined : quoted(language),
    DEFAULT: isDefault ? 'YES' : 'NO',
    AUTOSELECT: 'YES',
    FORCED: kind === 'forced' ? 'YES' : 'NO',
    CHARACTERISTICS: kind === 'captions' ? quoted(forDeafViewers) : undefined,
    URI: quoted(encodeURI(path)),
  });

function variantTags(
  track: PlaylistTrack,
  group: AudioGroup<PlaylistTrack> | null,
  { hasNoClosedCaptions, hasText, path }: { hasNoClosedCaptions: boolean; hasText: boolean; path: string },
): string[] {
  // With the highest bandwidth in the group, since a viewer may select that rendition.
  const audio = track.kind === 'video' && group ? group.tracks : [];
  const withAudio = (bandwidth: (track: PlaylistTrack) => number) =>
    bandwidth(track) + Math.max(0, ...audio.map((rendition) => bandwidth(rendition)));
  const closedCaptionNone = hasNoClosedCaptions && track.kind === 'video' ? 'NONE' : undefined;
  const codecs = new Set([track.codecs, ...(group?.tracks ?? []).map((rendition) => rendition.codecs)]);
  return [
    hlsTag('EXT-X-STREAM-INF', {
      BANDWIDTH: String(withAudio(peakBandwidth)),
      'AVERAGE-BANDWIDTH': String(withAudio(averageBandwidth)),
      CODECS: quoted([...codecs].join(',')),
      ...videoAttributes(track),
      'FRAME-RATE': track.frameRate ? toNumber(track.frameRate).toFixed(3) : undefined,
      AUDIO: group ? quoted(group.id) : undefined,
      SUBTITLES: hasText ? quoted(textGroup) : undefined,
      'CLOSED-CAPTIONS': track.closedCaptions ? quoted(closedCaptionGroup) : closedCaptionNone,
    }),
    encodeURI(path),
  ];
}

function iFrameVariant(track: PlaylistTrack, pathOf: PathOf): string {
  return hlsTag('EXT-X-I-FRAME-STREAM-INF', {
    BANDWIDTH: String(iFrameBandwidth(track)),
    CODECS: quoted(track.codecs),
    ...videoAttributes(track),
    URI: quoted(encodeURI(pathOf(track))),
  });
}

/** RESOLUTION is the display size: the coded width is corrected by the sample aspect ratio. */
const videoAttributes = ({
  width,
  height,
  sampleAspectRatio,
  videoRange,
}: PlaylistTrack): Record<string, string | undefined> => ({
  RESOLUTION: width && height ? `${displayWidth(width, sampleAspectRatio)}x${height}` : undefined,
  'VIDEO-RANGE': videoRange,
});

const displayWidth = (width: number, pixel: PlaylistTrack['sampleAspectRatio']): number =>
  pixel ? Math.max(1, Math.round((width * pixel.num) / pixel.den)) : width;
