import { parseRational, toNumber } from '../../shared/media/rational.ts';
import type { AudioRole } from '../../shared/protocol/audio-roles.ts';
import type { Decision } from '../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';
import {
  type AudioTrack,
  maxAudioTracks,
  maxSampleRateHz,
  maxStartSeconds,
} from '../../shared/protocol/probe-result.ts';
import type { AudioSpan } from './packet-index.ts';
import { commentaryTitle, languageTag, trackTitle } from './track-tags.ts';

/** An audio track from its headers and packets. Undefined when it has no packets or cannot be decoded. */
export function describeAudio(stream: ProbeStream, span: AudioSpan | undefined): AudioTrack | undefined {
  const timeBase = parseRational(stream.time_base);
  const sampleRateHz = Number(stream.sample_rate);
  if (!span || !timeBase || !(sampleRateHz > 0) || !stream.channels || !stream.codec_name) return undefined;
  const durationSeconds = (span.endPts - span.startPts) * toNumber(timeBase);
  const startSeconds = span.startPts * toNumber(timeBase);
  const title = nameIn(stream.tags?.title);
  const roles = rolesOf(stream.disposition, title);
  if (!(durationSeconds > 0) || Math.abs(startSeconds) > maxStartSeconds) return undefined;
  return {
    streamIndex: stream.index,
    codec: stream.codec_name,
    channels: Math.min(stream.channels, 64),
    channelLayout: stream.channel_layout && stream.channel_layout !== 'unknown' ? stream.channel_layout : null,
    sampleRateHz: Math.min(Math.round(sampleRateHz), maxSampleRateHz),
    language: languageTag(stream.tags?.language),
    ...(title !== null && { title }),
    isDefault: stream.disposition?.default === 1,
    ...(roles.length > 0 && { roles }),
    startSeconds,
    durationSeconds,
  };
}

/** As many tracks as a result may have, and what is said about the others. */
export function limitAudio(tracks: AudioTrack[]): { audio: AudioTrack[]; decisions: Decision[] } {
  const audio = tracks.slice(0, maxAudioTracks);
  const others = tracks.length - audio.length;
  if (others === 0) return { audio, decisions: [] };
  const message = `The file has ${tracks.length} audio tracks: only the first ${maxAudioTracks} can be used.`;
  return { audio, decisions: [{ code: 'audio_track_left_out', message, facts: { tracks: others } }] };
}

/** The words of titles that name the format of a track, such as `Surround 5.1` or `AC3 5.1 @ 640 kbps`. */
const formatWords = new Set([
  'mono',
  'stereo',
  'surround',
  'multichannel',
  'channel',
  'channels',
  'ch',
  'kbps',
  'kbit',
  's',
  'khz',
  'hz',
  'bit',
  'aac',
  'ac',
  'e',
  'eac',
  'dts',
  'hd',
  'ma',
  'dolby',
  'digital',
  'plus',
  'dd',
  'ddp',
  'truehd',
  'atmos',
  'flac',
  'pcm',
  'lpcm',
  'opus',
  'mp',
]);

/** A title that names the track. */
function nameIn(text: string | undefined): string | null {
  const title = trackTitle(text);
  const words = title?.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.every((word) => formatWords.has(word)) ? null : title;
}

const flags: [disposition: string, role: AudioRole][] = [
  ['visual_impaired', 'description'],
  ['descriptions', 'description'],
  // of broadcasts: the voice alone, which receivers add to the main track
  ['dependent', 'description'],
  ['comment', 'commentary'],
  ['hearing_impaired', 'clear-speech'],
  ['clean_effects', 'effects'],
  ['karaoke', 'karaoke'],
  ['dub', 'dub'],
  ['original', 'original'],
];

/** Many files have these roles only in the titles of their tracks. */
const titles: [title: RegExp, role: AudioRole][] = [
  [/audio[ -]?des[ck]ri|descriptive|hörfilm/i, 'description'],
  [commentaryTitle, 'commentary'],
];

function rolesOf(disposition: ProbeStream['disposition'] = {}, title: string | null): AudioRole[] {
  const flagged = flags.flatMap(([flag, role]) => (disposition[flag] === 1 ? [role] : []));
  const named = titles.flatMap(([words, role]) => (title && words.test(title) ? [role] : []));
  return [...new Set([...flagged, ...named])];
}
