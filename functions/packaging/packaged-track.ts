import type { Rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';
import type { TrackFacts } from '../../shared/protocol/track-facts.ts';

/** A file of a track; `path` is relative to the manifest that will name it. */
export type MediaFile = { path: string; bytes: number };

/** A media segment as it is shown: on the output clock, in ticks of its track. */
export type PackagedSegment = MediaFile & {
  startTicks: number;
  durationTicks: number;
  /** of video: the head of the file that shows its first frame */
  keyFrameBytes?: number | undefined;
};

/** A finished track: all that manifests say of it. */
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
  /** the shape of a pixel, square when left out */
  sampleAspectRatio?: Rational | undefined;
  frameRate?: Rational;
  frameCount?: number;
  videoRange?: VideoRange;
  /** BCP 47, `und` when unknown */
  language?: string;
  channels?: number;
  /** shown to viewers in the place of the language's name */
  label?: string;
  facts?: TrackFacts | undefined;
};

/** Sound and picture in the same transport stream segments; `codecs` names both. */
export type MuxedTrack = Omit<PackagedTrack, 'init'>;

/** `avc1` of `avc1.640028`: players switch within a family only. */
export const codecFamily = ({ codecs }: MuxedTrack): string => codecs.split('.')[0] ?? codecs;

export const durationSeconds = ({ segments, timescale }: MuxedTrack): number =>
  segments.reduce((sum, { durationTicks }) => sum + durationTicks, 0) / timescale;

export const longestSegmentSeconds = ({ segments, timescale }: MuxedTrack): number =>
  segments.reduce((longest, { durationTicks }) => Math.max(longest, durationTicks), 0) / timescale;

export function averageBandwidth(track: MuxedTrack): number {
  const bytes = track.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return Math.ceil((bytes * 8) / durationSeconds(track));
}

/**
 * The highest bitrate of any run of segments that lasts 0.5 to 1.5 target durations, as RFC 8216 defines the peak: a stub at the end does not count
 * by itself.
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

/** The highest bitrate at which the first frames of the segments are read when each is shown for as long as its segment. */
export const keyFrameBandwidth = ({ segments, timescale }: MuxedTrack): number =>
  Math.ceil(
    segments.reduce(
      (peak, { keyFrameBytes = 0, durationTicks }) => Math.max(peak, (keyFrameBytes * 8 * timescale) / durationTicks),
      0,
    ),
  );

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The track's language as manifests may carry it: `und` unless it is a well-formed tag, since containers hold anything. */
export const languageTag = ({ language }: MuxedTrack): string =>
  language && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(language) ? language : 'und';

/** What viewers choose a track by: its label, else the language in English, else the track's name. */
export function viewerLabel(track: MuxedTrack): string {
  const language = languageTag(track);
  const known = language === 'und' ? undefined : languageNames.of(language);
  return track.label?.replace(/\p{Cc}/gu, '') || known || track.name;
}
