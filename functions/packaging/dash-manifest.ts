import { XMLBuilder } from 'fast-xml-parser';
import { contentTypes } from '../../shared/media/content-types.ts';
import { formatRational, type Rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';
import {
  codecFamily,
  displayLabel,
  languageTag,
  longestSegmentSeconds,
  type PackagedTrack,
  peakBandwidth,
} from '../job-results/packaged-track.ts';
import { sourceOf } from './audio-groups.ts';
import { dashRoles, purposesOf } from './audio-role-properties.ts';
import type { TextRendition } from './captions/text-renditions.ts';

type Node = Record<string, unknown>;

const builder = new XMLBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/**
 * The static MPD of tracks that share the output clock. Each segment has its own SegmentURL: every chunk has another
 * folder, which a SegmentTemplate cannot express. Video tracks with aligned segments form one AdaptationSet. Each audio
 * track has an AdaptationSet of its own, so that no player switches to another language to save bandwidth.
 */
export function dashManifest(
  { video, audio, text = [] }: { video: PackagedTrack[]; audio: PackagedTrack[]; text?: TextRendition[] },
  { durationSeconds }: { durationSeconds: number },
): string {
  const tracks = [...video, ...audio];
  const offsetSeconds = Math.min(
    ...tracks.map(({ segments, timescale }) => (segments[0]?.startTicks ?? 0) / timescale),
  );
  const longest = Math.max(...tracks.map(longestSegmentSeconds));
  const alignedSets = [...Map.groupBy(video, alignmentKey).values()];
  const sets = [
    ...alignedSets.map((members) => videoSet(members, offsetSeconds)),
    ...audio.map((track) => audioSet(track, isMain(track, audio), offsetSeconds)),
    ...text.map((rendition) => textSet(rendition, offsetSeconds)),
  ];
  const xml = builder.build({
    '?xml': attributes({ version: '1.0', encoding: 'UTF-8' }),
    MPD: {
      ...attributes({
        xmlns: 'urn:mpeg:dash:schema:mpd:2011',
        profiles: 'urn:mpeg:dash:profile:isoff-main:2011',
        type: 'static',
        mediaPresentationDuration: isoSeconds(durationSeconds - offsetSeconds),
        maxSegmentDuration: isoSeconds(longest),
        minBufferTime: isoSeconds(longest),
      }),
      Period: {
        ...attributes({ id: '0', start: 'PT0S' }),
        AdaptationSet: sets.map((set, id) => ({ ...attributes({ id }), ...set })),
      },
    },
  });
  return String(xml);
}

/** A player can switch at every segment between tracks with the same key. */
function alignmentKey(track: PackagedTrack): string {
  const [first] = track.segments;
  const seconds = (ticks: number | undefined) => ((ticks ?? 0) / track.timescale).toFixed(3);
  return [
    codecFamily(track),
    // A switch between HDR and SDR is visible.
    track.videoRange ?? 'SDR',
    track.segments.length,
    ...[first?.startTicks, first?.durationTicks].map(seconds),
  ].join();
}

function videoSet(tracks: PackagedTrack[], offsetSeconds: number): Node {
  return {
    ...attributes({ contentType: 'video', mimeType: contentTypes.m4s, segmentAlignment: true, startWithSAP: 1 }),
    ...(tracks.some(({ closedCaptions }) => closedCaptions) && {
      // ANSI/SCTE 214-1: the first channel of CEA-608
      Accessibility: attributes({ schemeIdUri: 'urn:scte:dash:cc:cea-608:2015', value: 'CC1=und' }),
    }),
    ...hdrProperties(tracks[0]?.videoRange),
    Role: role('main'),
    Representation: tracks.map((track) => ({
      ...attributes({
        id: track.name,
        bandwidth: peakBandwidth(track),
        codecs: track.codecs,
        width: track.width,
        height: track.height,
        frameRate: track.frameRate && frameRateText(track.frameRate),
        sar: track.sampleAspectRatio ? `${track.sampleAspectRatio.num}:${track.sampleAspectRatio.den}` : '1:1',
      }),
      SegmentList: segmentList(track, offsetSeconds),
    })),
  };
}

/**
 * Color description of an HDR track, in the code points of ISO/IEC 23091-2. Supplemental, not essential: a player that
 * does not know the scheme may still play the track.
 */
function hdrProperties(range: VideoRange = 'SDR'): Node {
  if (range === 'SDR') return {};
  const properties = { ColourPrimaries: 9, TransferCharacteristics: range === 'PQ' ? 16 : 18, MatrixCoefficients: 9 };
  return {
    SupplementalProperty: Object.entries(properties).map(([name, value]) =>
      attributes({ schemeIdUri: `urn:mpeg:mpegB:cicp:${name}`, value }),
    ),
  };
}

function audioSet(track: PackagedTrack, isMain: boolean, offsetSeconds: number): Node {
  const purposes = purposesOf(track);
  return {
    ...attributes({
      contentType: 'audio',
      mimeType: contentTypes.m4a,
      lang: languageTag(track),
      segmentAlignment: true,
      startWithSAP: 1,
    }),
    ...(track.channels === undefined
      ? {}
      : {
          AudioChannelConfiguration: attributes({
            schemeIdUri: 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011',
            value: track.channels,
          }),
        }),
    Label: displayLabel(track),
    ...(purposes.length > 0 && { Accessibility: purposes.map(audioPurpose) }),
    Role: dashRoles(track, isMain).map(role),
    Representation: {
      ...attributes({ id: track.name, bandwidth: peakBandwidth(track), codecs: track.codecs }),
      SegmentList: segmentList(track, offsetSeconds),
    },
  };
}

/**
 * A text track is one file. Its times are those of the output clock, like the media's. `main` is the role that players
 * take for a default.
 */
const textSet = ({ id, language, kind, name, isDefault, path }: TextRendition, offsetSeconds: number): Node => ({
  ...attributes({ contentType: 'text', mimeType: 'text/vtt', lang: language }),
  ...(kind === 'captions' && {
    Accessibility: audioPurpose(2),
  }),
  Role: [role(textRoles[kind]), ...(isDefault ? [role('main')] : [])],
  Label: name,
  Representation: {
    ...attributes({ id, bandwidth: textBandwidth }),
    BaseURL: encodeURI(path),
    ...(offsetSeconds !== 0 && {
      SegmentBase: attributes({ timescale: 1000, presentationTimeOffset: Math.round(offsetSeconds * 1000) }),
    }),
  },
});

/** ISO/IEC 23009-1, 5.8.5.5 */
const textRoles = { captions: 'caption', subtitles: 'subtitle', forced: 'forced-subtitle' } as const;

/** The attribute is mandatory. No player chooses a text track by it. */
const textBandwidth = 1000;

/** In each codec family, all encodes of the track that comes first in the plan are the main ones, in 5.1 and stereo. */
function isMain(track: PackagedTrack, audio: PackagedTrack[]): boolean {
  const first = audio.find((other) => codecFamily(other) === codecFamily(track));
  return first !== undefined && sourceOf(first) === sourceOf(track);
}

/** The presentation starts with the earliest track. The offset is the same for all tracks, so they stay in sync. */
function segmentList({ timescale, init, segments }: PackagedTrack, offsetSeconds: number): Node {
  const offset = Math.round(offsetSeconds * timescale);
  return {
    ...attributes({ timescale, presentationTimeOffset: offset === 0 ? undefined : offset }),
    Initialization: attributes({ sourceURL: encodeURI(init.path) }),
    SegmentTimeline: { S: timeline(segments) },
    SegmentURL: segments.map(({ path }) => attributes({ media: encodeURI(path) })),
  };
}

/**
 * One S element for each segment, with `t` only where a segment does not start at the end of the previous one. No `r`
 * for repeated durations: dash.js 5 finds a SegmentURL by counting S elements, and with `r` it stops after two
 * segments.
 */
function timeline(segments: PackagedTrack['segments']): Node[] {
  let end: number | undefined;
  return segments.map(({ startTicks, durationTicks }) => {
    const start = startTicks === end ? undefined : startTicks;
    end = startTicks + durationTicks;
    return attributes({ t: start, d: durationTicks });
  });
}

/** 1: for people who cannot see, 2: for people who cannot hear */
const audioPurpose = (value: number): Node =>
  attributes({ schemeIdUri: 'urn:tva:metadata:cs:AudioPurposeCS:2007', value });

const role = (value: string): Node => attributes({ schemeIdUri: 'urn:mpeg:dash:role:2011', value });

const attributes = (values: Record<string, string | number | boolean | undefined>): Node =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[`@_${key}`, String(value)]])),
  );

const frameRateText = (rate: Rational): string => (rate.den === 1 ? String(rate.num) : formatRational(rate));

const isoSeconds = (seconds: number): string => `PT${Number(seconds.toFixed(3))}S`;
