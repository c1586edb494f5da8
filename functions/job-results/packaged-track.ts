import type { Rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';
import type { AudioRole } from '../../shared/protocol/audio-roles.ts';
import type { AudioRendition, EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { TrackProperties } from '../../shared/protocol/track-properties.ts';

/** A file of a track. `path` is an object key, or relative to the manifest that lists it. */
export type MediaFile = { path: string; bytes: number };

/** A media segment, timed on the output clock in ticks of its track's timescale. */
export type PackagedSegment = MediaFile & {
  startTicks: number;
  durationTicks: number;
  /** video only: bytes from the start of the file to the end of its first keyframe */
  keyFrameBytes?: number | undefined;
};

/** An encoded track with all that manifests contain about it. */
export type PackagedTrack = {
  name: string;
  kind: 'video' | 'audio';
  /** RFC 6381 */
  codecs: string;
  timescale: number;
  init: MediaFile;
  segments: PackagedSegment[];
  width?: number;
  height?: number;
  /** absent for square pixels */
  sampleAspectRatio?: Rational | undefined;
  frameRate?: Rational;
  frameCount?: number;
  videoRange?: VideoRange;
  /** the frames carry closed captions */
  closedCaptions?: boolean;
  /** BCP 47; `und` when unknown */
  language?: string;
  channels?: number;
  /** shown to viewers instead of the language */
  label?: string | undefined;
  roles?: readonly AudioRole[] | undefined;
  /** the track of the source that an audio track was encoded from */
  sourceStreamIndex?: number;
  /** where the template chooses the tracks: its position there */
  chosenTrack?: number | undefined;
  /** the samples are those of the source */
  copied?: true | undefined;
  facts?: TrackProperties | undefined;
};

/** Audio and video in the same MPEG-TS segments, without init segment. `codecs` has both codecs. */
export type MuxedTrack = Omit<PackagedTrack, 'init'>;

/**
 * The track that the chunks of a video, or the one job of an audio track, make together. `folder` is that of the job.
 * @throws JobError OUTPUT_MISMATCH when they do not fit together, which is a defect of the encoder
 */
export function joinParts(
  name: string,
  parts: { folder: string; track: EncodedTrack }[],
): Pick<PackagedTrack, 'name' | 'codecs' | 'timescale' | 'init' | 'segments' | 'copied' | 'facts'> {
  const first = parts[0];
  if (!first) throw new Error(`track ${name} has no chunks`);
  let expectedTicks: number | undefined;
  const segments = parts.flatMap(({ folder, track }) => {
    // The manifest lists one init segment for all chunks, so those of the chunks must be identical.
    if (track.init.sha256 !== first.track.init.sha256)
      throw new JobError(
        'OUTPUT_MISMATCH',
        `the chunks of ${name} have different init segments: process the video again`,
      );
    return track.segments.map(({ file, ...segment }) => {
      if (expectedTicks !== undefined && segment.startTicks !== expectedTicks) {
        throw new JobError('OUTPUT_MISMATCH', `track ${name} has a gap before ${file}`);
      }
      expectedTicks = segment.startTicks + segment.durationTicks;
      return { ...segment, path: `${folder}${file}` };
    });
  });
  return {
    name,
    codecs: first.track.codecs,
    timescale: first.track.timescale,
    init: { path: `${first.folder}${first.track.init.file}`, bytes: first.track.init.bytes },
    segments,
    copied: first.track.copied,
    facts: first.track.facts,
  };
}

/** `avc1` of `avc1.640028`. Players switch only between tracks of the same family. */
export const codecFamily = ({ codecs }: MuxedTrack): string => codecs.split('.')[0] ?? codecs;

export const durationSeconds = ({ segments, timescale }: MuxedTrack): number =>
  segments.reduce((sum, { durationTicks }) => sum + durationTicks, 0) / timescale;

/** On the output clock. */
export const startSecondsOf = ({ segments, timescale }: MuxedTrack): number =>
  (segments[0]?.startTicks ?? 0) / timescale;

export const longestSegmentSeconds = ({ segments, timescale }: MuxedTrack): number =>
  segments.reduce((longest, { durationTicks }) => Math.max(longest, durationTicks), 0) / timescale;

export function averageBandwidth(track: MuxedTrack): number {
  const bytes = track.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return Math.ceil((bytes * 8) / durationSeconds(track));
}

/**
 * Peak segment bit rate as RFC 8216 defines it: the highest bit rate of any contiguous segments that together last 0.5
 * to 1.5 target durations. A short last segment alone does not count.
 */
export function peakBandwidth(track: MuxedTrack): number {
  const { segments, timescale } = track;
  const target = Math.max(1, Math.round(longestSegmentSeconds(track))) * timescale;
  let peak = 0;
  for (let first = 0; first < segments.length; first++) {
    let [bytes, ticks] = [0, 0];
    for (let last = first; last < segments.length; last++) {
      bytes += segments[last]!.bytes;
      ticks += segments[last]!.durationTicks;
      if (ticks > 1.5 * target) break;
      if (ticks >= 0.5 * target) peak = Math.max(peak, (bytes * 8 * timescale) / ticks);
    }
  }
  return Math.max(Math.ceil(peak), averageBandwidth(track));
}

/** The peak bit rate of the I-frame playlist, in which each keyframe lasts as long as its segment. */
export const iFrameBandwidth = ({ segments, timescale }: MuxedTrack): number =>
  Math.ceil(
    segments.reduce(
      (peak, { keyFrameBytes = 0, durationTicks }) => Math.max(peak, (keyFrameBytes * 8 * timescale) / durationTicks),
      0,
    ),
  );

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The language for manifests: `und` unless it is a well-formed tag. Source containers may hold any text there. */
export const languageTag = ({ language }: MuxedTrack): string =>
  language && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(language) ? language : 'und';

/** What manifests say about the rendition that an audio track was encoded as. */
export const renditionProperties = ({
  language,
  channels,
  label,
  roles,
  streamIndex,
  chosenTrack,
}: AudioRendition) => ({
  language,
  channels,
  label,
  roles,
  sourceStreamIndex: streamIndex,
  chosenTrack,
});

/** Shown after the language, which says enough about a dub and its original. */
const roleLabels: Partial<Record<AudioRole, string>> = {
  description: 'audio description',
  commentary: 'commentary',
  'clear-speech': 'clear speech',
  effects: 'music and effects',
  karaoke: 'karaoke',
};

/** The text in a player's track menu: the label, or language and role in English, or the name of the track. */
export function displayLabel(track: MuxedTrack): string {
  const label = track.label?.replace(/\p{Cc}/gu, '');
  if (label) return label;
  const language = languageTag(track);
  const known = (language === 'und' ? undefined : languageNames.of(language)) ?? track.name;
  const roles = (track.roles ?? []).flatMap((role) => roleLabels[role] ?? []);
  return roles.length > 0 ? `${known} (${roles.join(', ')})` : known;
}
