import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/** Codecs by the names that uploaders know. */
const known: Record<string, string> = {
  ...{ h264: 'H.264', hevc: 'HEVC (H.265)', vvc: 'VVC (H.266)', av1: 'AV1', vp8: 'VP8', vp9: 'VP9' },
  ...{ mpeg1video: 'MPEG-1', mpeg2video: 'MPEG-2', mpeg4: 'MPEG-4 Part 2', prores: 'ProRes', mjpeg: 'Motion JPEG' },
  ...{ aac: 'AAC', mp3: 'MP3', opus: 'Opus', vorbis: 'Vorbis', flac: 'FLAC', alac: 'Apple Lossless', dts: 'DTS' },
  ...{ ac3: 'Dolby Digital (AC-3)', eac3: 'Dolby Digital Plus (E-AC-3)', ac4: 'Dolby AC-4', truehd: 'Dolby TrueHD' },
  ...{ mpegh_3d_audio: 'MPEG-H 3D Audio', evc: 'EVC', iamf: 'IAMF', apv: 'APV' },
};

/** Sample entries of MP4 and MOV that FFmpeg has no decoder for, or does not know yet. */
const sampleEntries: Record<string, string> = {
  ...{ vvc1: 'vvc', vvi1: 'vvc', evc1: 'evc', apv1: 'apv' },
  ...{ iamf: 'iamf', 'ac-4': 'ac4', mha1: 'mpegh_3d_audio', mha2: 'mpegh_3d_audio' },
  ...{ mhm1: 'mpegh_3d_audio', mhm2: 'mpegh_3d_audio' },
};

/** Stream types of MPEG transport streams (ISO/IEC 13818-1, table 2-34) of the same kind. */
const videoStreamTypes: Record<string, string> = { '0x0033': 'vvc', '0x0034': 'vvc', '0x0035': 'evc' };
const audioStreamTypes: Record<string, string> = { '0x002d': 'mpegh_3d_audio', '0x002e': 'mpegh_3d_audio' };

/** Codec IDs of Matroska, which ffprobe does not print. */
const matroskaIds: [id: string, type: 'video' | 'audio', codec: string][] = [
  ['V_MPEGI/ISO/VVC', 'video', 'vvc'],
  ['A_IAMF', 'audio', 'iamf'],
];

/** FFmpeg names these and cannot decode them. */
const withoutDecoder = new Set(['vvc', 'evc', 'iamf', 'apv', 'ac4', 'mpegh_3d_audio', 'avs2', 'avs3']);

type Container = { formatName: string; head: Buffer };

/** A transport stream's video that FFmpeg takes for data, since it does not know its type. */
export const isUnknownVideo = ({ codec_type, codec_tag = '' }: ProbeStream, formatName: string): boolean =>
  formatName === 'mpegts' && codec_type !== 'video' && codec_tag in videoStreamTypes;

/** The same of audio. */
export const isUnknownAudio = ({ codec_type, codec_tag = '' }: ProbeStream, formatName: string): boolean =>
  formatName === 'mpegts' && codec_type !== 'audio' && codec_tag in audioStreamTypes;

/** How uploaders call the track's codec, and whether FFmpeg has a decoder for it. `name` is null when nothing is known of it. */
export function codecOf(stream: ProbeStream, container: Container): { name: string | null; canBeDecoded: boolean } {
  const codec = stream.codec_name ?? unnamedCodec(stream, container);
  if (codec === undefined) return { name: printable(stream.codec_tag_string), canBeDecoded: false };
  return { name: known[codec] ?? codec, canBeDecoded: !withoutDecoder.has(codec) };
}

function unnamedCodec(stream: ProbeStream, { formatName, head }: Container): string | undefined {
  const { codec_type, codec_tag = '', codec_tag_string = '' } = stream;
  if (formatName === 'mpegts') return videoStreamTypes[codec_tag] ?? audioStreamTypes[codec_tag];
  if (formatName.startsWith('matroska')) {
    return matroskaIds.find(([id, type]) => type === codec_type && head.includes(id))?.[2];
  }
  return sampleEntries[codec_tag_string];
}

/** Four characters out of the file, if they are such as codecs are named by. */
const printable = (tag: string | undefined): string | null =>
  tag && /^[A-Za-z0-9][A-Za-z0-9 .-]{3}$/.test(tag) ? tag : null;
