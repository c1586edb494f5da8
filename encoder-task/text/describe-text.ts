import type { Decision } from '../../shared/protocol/decisions.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import {
  maxChapters,
  maxTextTracks,
  type TextCodec,
  type TextTrack,
  textCodecs,
} from '../../shared/protocol/text-tracks.ts';
import { commentaryTitle, languageTag, trackTitle } from '../probe/track-tags.ts';

/** Subtitle codecs without text, and how people call them. */
const unreadable: Record<string, string> = {
  hdmv_pgs_subtitle: 'PGS images',
  dvd_subtitle: 'DVD images',
  dvb_subtitle: 'DVB images',
  xsub: 'XSUB images',
  dvb_teletext: 'teletext',
  eia_608: 'CEA-608 codes',
};
const unknownFormat = 'text or images in a format that cannot be converted';

/** Sample entries of WebVTT and TTML in MP4, which FFmpeg 5.1 does not know as subtitles. */
const unknownTextTags = new Set(['wvtt', 'stpp']);

const isSubtitle = ({ codec_type, codec_tag_string }: ProbeStream): boolean =>
  codec_type === 'subtitle' || unknownTextTags.has(codec_tag_string ?? '');

type Found = { tracks: TextTrack[]; warnings: string[]; decisions: Decision[] };

/**
 * The text tracks of a source, and one sentence for each subtitle track that cannot become a caption. `telemetry` has
 * the indexes of tracks with data of a camera.
 */
export function describeText({ streams }: ProbeDocument, telemetry: ReadonlySet<number> = new Set()): Found {
  const subtitles = streams.filter((stream) => isSubtitle(stream) && !telemetry.has(stream.index));
  const unconverted = subtitles.filter((stream) => textCodec(stream) === undefined);
  const readable = subtitles.flatMap((stream) => textTrack(stream) ?? []);
  const tracks = readable.slice(0, maxTextTracks);
  return {
    tracks,
    warnings: [
      ...unconverted.map(leftOut),
      ...(readable.length > tracks.length
        ? [`The file has ${readable.length} text tracks: only the first ${maxTextTracks} become captions.`]
        : []),
    ],
    decisions: [
      ...without([...telemetry], 'telemetry', 'data of the camera, which may tell where the video was made'),
      ...without(indexesOf(unconverted), 'format', 'images, or text in a format that cannot be converted'),
      ...without(
        readable.slice(maxTextTracks).map(({ streamIndex }) => streamIndex),
        'number',
        'too many tracks',
      ),
    ],
  };
}

/** The indexes of the tracks that can become captions. */
export const readableText = ({ streams }: ProbeDocument): ReadonlySet<number> =>
  new Set(indexesOf(streams.filter((stream) => isSubtitle(stream) && textCodec(stream) !== undefined)));

const indexesOf = (streams: ProbeStream[]): number[] => streams.map(({ index }) => index);

function without(streams: number[], reason: string, what: string): Decision[] {
  if (streams.length === 0) return [];
  const which = streams.length === 1 ? `Text track ${streams[0]} is` : `Text tracks ${listOf(streams)} are`;
  const details = { streams: streams.slice(0, 64), reason };
  return [{ code: 'text_track_left_out', message: `${which} left out: ${what}.`, facts: details }];
}

/** As many as fit in a sentence. */
const listOf = (streams: number[]): string =>
  streams.length > 10 ? `${streams.slice(0, 10).join(', ')} and others` : streams.join(', ');

const textCodec = ({ codec_name }: ProbeStream): TextCodec | undefined =>
  textCodecs.find((codec) => codec === codec_name);

function textTrack(stream: ProbeStream): TextTrack | undefined {
  const codec = textCodec(stream);
  if (!codec) return undefined;
  const { disposition = {}, tags } = stream;
  const title = trackTitle(tags?.title);
  return {
    streamIndex: stream.index,
    codec,
    language: languageTag(tags?.language),
    title,
    isDefault: disposition.default === 1,
    isForced: disposition.forced === 1,
    isForDeaf: disposition.hearing_impaired === 1 || disposition.captions === 1,
    ...((disposition.comment === 1 || commentaryTitle.test(title ?? '')) && { isCommentary: true }),
  };
}

function leftOut({ index, codec_name, tags }: ProbeStream): string {
  const kind = unreadable[codec_name ?? ''] ?? unknownFormat;
  const language = languageTag(tags?.language);
  const name = language === 'und' ? `Subtitle track ${index}` : `Subtitle track ${index} (${language})`;
  return `${name} is left out, because it consists of ${kind}. Upload a WebVTT or SubRip file instead.`;
}

/** How many chapters a document of `describeArgs` lists. */
export function chapterCount(document: unknown): number {
  const { chapters } = (document ?? {}) as { chapters?: unknown };
  return Array.isArray(chapters) ? Math.min(chapters.length, maxChapters) : 0;
}
