import { type Rational, rational } from '../../../shared/media/rational.ts';
import {
  type AudioCodec,
  type Colours,
  type ContainerName,
  isHdr,
  type OtherVideoRole,
  type VideoCodec,
  type VideoTrack,
} from './source.ts';

type VideoCodecProperties = {
  /** arguments of ffmpeg behind `-c:N` */
  encoder: string[];
  pixelFormat: string;
  /** files of this codec can say how colours are stored, or cannot, or hold RGB */
  colours: readonly Colours[];
  hasAlpha?: boolean;
  hasBFrames?: boolean;
  /** the file can leave frames out, so that the one before lasts longer */
  isVariable?: boolean;
  /** the shape of pixels can be any */
  hasAnyShape?: boolean;
  /** the size can change within the track, in these containers */
  changesIn?: readonly ContainerName[];
  /** with this pixel format, colours can be those of HDR */
  hdrPixelFormat?: string;
  /** only the usual rates of television and film */
  hasUsualRates?: boolean;
};

const tagged: readonly Colours[] = ['bt709', 'bt709', 'bt601', 'full range', 'untagged'];
const realTime = ['-deadline', 'realtime', '-cpu-used', '8', '-crf', '6', '-b:v', '3M'];
const webm = ['webm', 'mkv'] as const;

export const videoCodecs: Record<VideoCodec, VideoCodecProperties> = {
  h264: {
    encoder: ['libx264', '-preset', 'ultrafast', '-crf', '16'],
    pixelFormat: 'yuv420p',
    colours: tagged,
    hasBFrames: true,
    isVariable: true,
    hasAnyShape: true,
    changesIn: ['ts'],
  },
  hevc: {
    encoder: ['libx265', '-preset', 'ultrafast', '-crf', '16', '-x265-params', 'log-level=error'],
    pixelFormat: 'yuv420p',
    colours: ['bt709', 'bt601', 'untagged'],
    isVariable: true,
    hasAnyShape: true,
    hdrPixelFormat: 'yuv420p10le',
  },
  mpeg4: { encoder: ['mpeg4', '-q:v', '2'], pixelFormat: 'yuv420p', colours: ['untagged'], isVariable: true },
  mpeg2: {
    encoder: ['mpeg2video', '-q:v', '2'],
    pixelFormat: 'yuv420p',
    colours: ['untagged'],
    hasBFrames: true,
    hasUsualRates: true,
  },
  vp8: {
    encoder: ['libvpx', ...realTime],
    pixelFormat: 'yuv420p',
    colours: ['bt601', 'untagged'],
    isVariable: true,
    hasAnyShape: true,
    changesIn: webm,
  },
  'vp8 with alpha': {
    encoder: ['libvpx', ...realTime, '-auto-alt-ref', '0'],
    pixelFormat: 'yuva420p',
    colours: ['bt601'],
    hasAlpha: true,
  },
  vp9: {
    encoder: ['libvpx-vp9', ...realTime],
    pixelFormat: 'yuv420p',
    colours: ['bt709', 'bt601', 'untagged'],
    isVariable: true,
    hasAnyShape: true,
    changesIn: webm,
    hdrPixelFormat: 'yuv420p10le',
  },
  'vp9 with alpha': {
    encoder: ['libvpx-vp9', ...realTime, '-auto-alt-ref', '0'],
    pixelFormat: 'yuva420p',
    colours: ['bt709'],
    hasAlpha: true,
  },
  mjpeg: { encoder: ['mjpeg', '-q:v', '2'], pixelFormat: 'yuvj420p', colours: ['untagged'] },
  // ffmpeg 5 does not write how their colours are stored
  prores: { encoder: ['prores_ks'], pixelFormat: 'yuv422p10le', colours: ['untagged'], isVariable: true },
  'prores with alpha': {
    encoder: ['prores_ks', '-profile:v', '4'],
    pixelFormat: 'yuva444p10le',
    colours: ['untagged'],
    hasAlpha: true,
  },
  animation: { encoder: ['qtrle'], pixelFormat: 'rgb24', colours: ['rgb'] },
  'animation with alpha': { encoder: ['qtrle'], pixelFormat: 'argb', colours: ['rgb'], hasAlpha: true },
  'png with alpha': { encoder: ['png'], pixelFormat: 'rgba', colours: ['rgb'], hasAlpha: true },
  ffv1: { encoder: ['ffv1'], pixelFormat: 'bgr0', colours: ['rgb'], isVariable: true, hasAnyShape: true },
};

type AudioCodecProperties = { encoder: string[]; sampleRatesHz: readonly number[]; channels: readonly (1 | 2 | 6)[] };

const usual = [44_100, 48_000];
export const audioCodecs: Record<AudioCodec, AudioCodecProperties> = {
  aac: { encoder: ['aac', '-b:a', '96k'], sampleRatesHz: [...usual, 32_000], channels: [1, 2, 2, 6] },
  mp3: { encoder: ['libmp3lame', '-b:a', '96k'], sampleRatesHz: usual, channels: [1, 2] },
  mp2: { encoder: ['mp2', '-b:a', '128k'], sampleRatesHz: usual, channels: [1, 2] },
  ac3: { encoder: ['ac3', '-b:a', '192k'], sampleRatesHz: [48_000], channels: [2, 6] },
  opus: { encoder: ['libopus', '-b:a', '96k'], sampleRatesHz: [48_000], channels: [1, 2] },
  vorbis: { encoder: ['libvorbis', '-b:a', '96k'], sampleRatesHz: usual, channels: [1, 2] },
  flac: { encoder: ['flac'], sampleRatesHz: usual, channels: [1, 2] },
  pcm: { encoder: ['pcm_s16le'], sampleRatesHz: [48_000], channels: [1, 2] },
};

export type Container = {
  video: readonly VideoCodec[];
  audio: readonly AudioCodec[];
  maxAudio: number;
  /** tracks can start later than others */
  startsDiffer: boolean;
  /** tracks can end at different times */
  lengthsDiffer: boolean;
  /** frames can be further apart */
  isVariable: boolean;
  hasLanguages: boolean;
  /** descriptions and commentaries are flagged */
  hasRoles: boolean;
  otherVideo: readonly OtherVideoRole[];
  /** the file can say that players turn the frames */
  canTurn?: boolean;
  textCodec: string | null;
  /** of the video track; null is that of the muxer */
  timescales: readonly (number | null)[];
  /** the rounding of times */
  tickSeconds: number;
};

const iso = {
  maxAudio: 3,
  startsDiffer: true,
  lengthsDiffer: true,
  isVariable: true,
  hasLanguages: true,
  hasRoles: false,
  canTurn: true,
  otherVideo: ['thumbnail', 'disabled', 'cover'] as OtherVideoRole[],
  textCodec: 'mov_text',
  timescales: [null, null, 600, 1000, 90_000],
  tickSeconds: 0.001,
};

/** Matroska counts milliseconds. */
const matroska = {
  maxAudio: 3,
  startsDiffer: true,
  lengthsDiffer: true,
  isVariable: true,
  hasLanguages: true,
  hasRoles: true,
  timescales: [null],
  tickSeconds: 0.001,
} as const;

const plain = {
  maxAudio: 1,
  startsDiffer: false,
  lengthsDiffer: false,
  isVariable: false,
  hasLanguages: false,
  hasRoles: false,
  otherVideo: [],
  textCodec: null,
  timescales: [null],
  tickSeconds: 1 / 90_000,
} as const;

export const containers: Record<ContainerName, Container> = {
  mp4: { ...iso, video: ['h264', 'h264', 'h264', 'hevc', 'mpeg4'], audio: ['aac', 'aac', 'mp3', 'ac3', 'opus'] },
  mov: {
    ...iso,
    video: ['h264', 'prores', 'prores with alpha', 'animation', 'animation with alpha', 'png with alpha', 'mjpeg'],
    audio: ['pcm', 'aac'],
  },
  mkv: {
    ...matroska,
    video: ['h264', 'h264', 'hevc', 'vp8', 'vp9', 'mpeg2', 'ffv1', 'mjpeg'],
    otherVideo: ['thumbnail', 'smaller'],
    audio: ['aac', 'opus', 'flac', 'mp3', 'ac3', 'vorbis', 'pcm'],
    textCodec: 'subrip',
  },
  webm: {
    ...matroska,
    video: ['vp8', 'vp9', 'vp8 with alpha', 'vp9 with alpha'],
    audio: ['opus', 'vorbis'],
    otherVideo: [],
    textCodec: null,
  },
  ts: {
    ...plain,
    video: ['h264', 'h264', 'mpeg2', 'hevc'],
    audio: ['aac', 'mp2', 'ac3'],
    maxAudio: 2,
    startsDiffer: true,
    lengthsDiffer: true,
    isVariable: true,
    hasLanguages: true,
    otherVideo: ['smaller'],
  },
  avi: { ...plain, video: ['mpeg4', 'mjpeg', 'h264'], audio: ['mp3', 'pcm'], lengthsDiffer: true },
  flv: {
    ...plain,
    video: ['h264'],
    audio: ['aac', 'mp3'],
    startsDiffer: true,
    lengthsDiffer: true,
    isVariable: true,
    tickSeconds: 0.001,
  },
  mxf: { ...plain, video: ['mpeg2'], audio: ['pcm'] },
  mpg: { ...plain, video: ['mpeg2'], audio: ['mp2', 'ac3'], startsDiffer: true, lengthsDiffer: true },
};

/** The pixel format of a track. */
export const pixelFormatOf = (track: VideoTrack): string => {
  const { pixelFormat, hdrPixelFormat = pixelFormat } = videoCodecs[track.codec];
  return isHdr(track) ? hdrPixelFormat : pixelFormat;
};

const ntsc = (num: number): Rational => rational(num, 1001);
/** Rates that MPEG-2 and MXF have too. */
export const usualRates: readonly Rational[] = [
  ntsc(24_000),
  rational(24, 1),
  rational(25, 1),
  rational(25, 1),
  ntsc(30_000),
  rational(30, 1),
  rational(50, 1),
  ntsc(60_000),
  rational(60, 1),
];
export const anyRates: readonly Rational[] = [
  ...usualRates,
  ...[10, 12, 15, 48, 100, 120].map((fps) => rational(fps, 1)),
];
