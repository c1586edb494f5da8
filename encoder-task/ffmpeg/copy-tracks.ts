import type { AudioRole } from '../../shared/protocol/audio-roles.ts';
import { languageCode } from './language-code.ts';

/** Local fragmented files, one per track. */
type Tracks = {
  video: { file: string; isSpherical?: boolean } | null;
  audio: { file: string; language: string; roles?: readonly AudioRole[] | undefined }[];
};

const inputArgs = ({ video, audio }: Tracks): string[] => [
  // all files use the same clock
  '-copyts',
  ...[...(video ? [video] : []), ...audio].flatMap(({ file }) => [
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-i', file],
  ]),
];

const mapArgs = ({ video, audio }: Tracks): string[] => [
  ...[...(video ? ['v'] : []), ...audio.map(() => 'a')].flatMap((type, input) => ['-map', `${input}:${type}:0`]),
  ...['-c', 'copy', '-map_metadata', '-1'],
];

/**
 * argv that copies tracks into one progressive MP4. Delay and priming stay in edit lists, so that audio and video start
 * together.
 */
export function mp4Args(tracks: Tracks, faststart: boolean, output: string): string[] {
  return [
    ...inputArgs(tracks),
    ...mapArgs(tracks),
    ...tracks.audio.flatMap(({ language }, n) => [`-metadata:s:a:${n}`, `language=${languageCode(language)}`]),
    ...tracks.audio.flatMap(({ roles = [] }, n) => [`-disposition:a:${n}`, dispositions(roles, n === 0)]),
    ...(faststart ? ['-movflags', '+faststart'] : []),
    // the projection of a 360° video is an extension of MP4
    ...(tracks.video?.isSpherical ? ['-strict', 'unofficial'] : []),
    ...['-f', 'mp4', output],
  ];
}

/** FFmpeg's flags for the roles that an MP4 can have (`kind` boxes, ISO/IEC 14496-12, 8.10.4). */
const roleFlags: Partial<Record<AudioRole, string>> = {
  description: 'visual_impaired',
  commentary: 'comment',
  dub: 'dub',
};

/** Players play the default track. */
function dispositions(roles: readonly AudioRole[], isDefault: boolean): string {
  const flags = [...(isDefault ? ['default'] : []), ...roles.flatMap((role) => roleFlags[role] ?? [])];
  return flags.join('+') || '0';
}

/**
 * Added to all times in MPEG-TS, which has no negative ones. The muxer would otherwise move each rung by its own
 * reordering delay, and players could not switch between rungs. No delay is longer.
 */
const tsOffsetSeconds = 20;

/** argv that cuts the tracks at key frames into `<number>.ts`, with the playlist `list.m3u8`. */
export function hlsTsArgs(tracks: Tracks, segmentSeconds: number): string[] {
  return [
    ...inputArgs(tracks),
    ...mapArgs(tracks),
    ...['-output_ts_offset', String(tsOffsetSeconds)],
    ...['-f', 'hls', '-hls_segment_type', 'mpegts', '-hls_playlist_type', 'vod'],
    ...['-hls_time', segmentSeconds.toFixed(6), '-hls_flags', 'temp_file'],
    ...['-hls_segment_filename', '%05d.ts', 'list.m3u8'],
  ];
}
