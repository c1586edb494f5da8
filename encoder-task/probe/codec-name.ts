import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/** Display names of codecs. */
const known: Record<string, string> = {
  h264: 'H.264',
  hevc: 'HEVC (H.265)',
  vvc: 'VVC (H.266)',
  av1: 'AV1',
  vp8: 'VP8',
  vp9: 'VP9',
  mpeg1video: 'MPEG-1',
  mpeg2video: 'MPEG-2',
  mpeg4: 'MPEG-4 Part 2',
  prores: 'ProRes',
  mjpeg: 'Motion JPEG',
  aac: 'AAC',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  alac: 'Apple Lossless',
  dts: 'DTS',
  ac3: 'Dolby Digital (AC-3)',
  eac3: 'Dolby Digital Plus (E-AC-3)',
  ac4: 'Dolby AC-4',
  truehd: 'Dolby TrueHD',
  mpegh_3d_audio: 'MPEG-H 3D Audio',
  evc: 'EVC',
  iamf: 'IAMF',
  apv: 'APV',
};

/** Sample entries of MP4 and MOV that FFmpeg cannot decode or does not know. */
const sampleEntries: Record<string, string> = {
  vvc1: 'vvc',
  vvi1: 'vvc',
  evc1: 'evc',
  apv1: 'apv',
  iamf: 'iamf',
  'ac-4': 'ac4',
  mha1: 'mpegh_3d_audio',
  mha2: 'mpegh_3d_audio',
  mhm1: 'mpegh_3d_audio',
  mhm2: 'mpegh_3d_audio',
};

/** Stream types of MPEG-TS (ISO/IEC 13818-1, table 2-34) that FFmpeg cannot decode or does not know. */
const videoStreamTypes: Record<string, string> = { '0x0033': 'vvc', '0x0034': 'vvc', '0x0035': 'evc' };
const audioStreamTypes: Record<string, string> = { '0x002d': 'mpegh_3d_audio', '0x002e': 'mpegh_3d_audio' };

/** Codec IDs of Matroska; ffprobe does not print them. */
const matroskaIds: [id: string, type: 'video' | 'audio', codec: string][] = [
  ['V_MPEGI/ISO/VVC', 'video', 'vvc'],
  ['A_IAMF', 'audio', 'iamf'],
];

/** Codecs that FFmpeg identifies but cannot decode; VVC only since version 7.1. */
const withoutDecoder = new Set(['vvc', 'evc', 'iamf', 'apv', 'ac4', 'mpegh_3d_audio', 'avs2', 'avs3']);

/** Without it, a track cannot be used, even if FFmpeg knows its size and its packets. */
export const hasDecoder = ({ codec_name = '' }: ProbeStream): boolean => !withoutDecoder.has(codec_name);

type Container = { formatName: string; head: Buffer };

/** A video stream of MPEG-TS that FFmpeg reports as data because it does not know the stream type. */
export const isUnknownVideo = ({ codec_type, codec_tag = '' }: ProbeStream, formatName: string): boolean =>
  formatName === 'mpegts' && codec_type !== 'video' && codec_tag in videoStreamTypes;

/** An audio stream of MPEG-TS that FFmpeg reports as data. */
export const isUnknownAudio = ({ codec_type, codec_tag = '' }: ProbeStream, formatName: string): boolean =>
  formatName === 'mpegts' && codec_type !== 'audio' && codec_tag in audioStreamTypes;

/** Display name of a track's codec, null when unknown, and whether FFmpeg can decode it. */
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

/** The four-character code from the file, if it has the form of a codec name. */
const printable = (tag: string | undefined): string | null =>
  tag && /^[A-Za-z0-9][A-Za-z0-9 .-]{3}$/.test(tag) ? tag : null;
