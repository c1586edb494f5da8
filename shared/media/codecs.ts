/**
 * The table of codecs. A new codec needs a row here, an argv builder in `encoder-task/ffmpeg/codecs` and a codec string
 * reader in `encoder-task/isobmff/codec-string.ts`: without these the type check fails. The image of
 * `encoder-task/Dockerfile` must have its encoder.
 */

export type PixelFormat = 'yuv420p' | 'yuv420p10le';
export const containers = ['fmp4', 'ts', 'mp4'] as const;
export type Container = (typeof containers)[number];

type CodecProperties = {
  label: string;
  /** the encoder's name in ffmpeg */
  encoder: string;
  /** type of the sample entry in ISO BMFF. The RFC 6381 codec string of a video track starts with it. */
  sampleEntry: string;
  containers: readonly Container[];
  /** Apple's players and those of television sets take it in HLS, also older ones */
  isInEveryHlsPlayer: boolean;
};

type VideoCodecProperties = CodecProperties & {
  /** pixel formats by profile. A codec that lists no 10-bit pixel format is 8-bit only. */
  profiles: Readonly<Record<string, readonly [PixelFormat, ...PixelFormat[]]>>;
  crf: { max: number; default: number };
  /** bitrate for the same quality, relative to H.264 */
  bitrateFactor: number;
  /** the shortest frame side that the encoder accepts: for x265 a coding unit, for SVT-AV1 a superblock */
  minSide: number;
  /** settings of templates that have no effect in the encoder, so that requests with them are refused */
  unsupported: readonly ('two_pass' | 'level' | 'buffer_size')[];
  /** the level in a codec string, from its parts after the sample entry; NaN or 0 when it has none */
  levelOf: (parts: readonly string[]) => number;
  /**
   * CPU seconds of one core per million pixels at preset medium, measured on current x86 servers. Only the ratios
   * matter.
   */
  cpuSecondsPerMegapixel: number;
};

type AudioCodecProperties = CodecProperties & {
  /** RFC 6381 string. The service writes one profile of each audio codec. */
  codecString: string;
  /** bitrates to offer in a user interface */
  bitrates: readonly string[];
  /** channel counts that a template may ask for */
  channels: readonly number[];
  /** bit/s that the encoder accepts for each channel */
  bitrateBpsPerChannel: { min: number; max: number };
  /** the only sample rate of the encoder; null when it takes the rate of the template */
  fixedSampleRateHz: number | null;
  /** channel counts without a layout in the encoder, and the count to encode instead */
  channelFallbacks: Readonly<Record<number, number>>;
  /** ffmpeg's layout by channel count, where it differs from the layout of other codecs */
  channelLayouts: Readonly<Record<number, string>>;
};

const eightBit = ['yuv420p'] as const;
const tenBit = ['yuv420p10le'] as const;

/** AV1 specification, annex A.3: four minor levels for each major one, from 2.0 on. */
const av1Level = (index: number): number => 2 + Math.floor(index / 4) + (index % 4) / 10;

export const videoCodecProperties = {
  h264: {
    label: 'H.264 / AVC',
    encoder: 'libx264',
    sampleEntry: 'avc1',
    containers: ['ts', 'fmp4', 'mp4'],
    isInEveryHlsPlayer: true,
    profiles: { baseline: eightBit, main: eightBit, high: eightBit },
    crf: { max: 51, default: 23 },
    bitrateFactor: 1,
    minSide: 2,
    unsupported: [],
    // profile, constraints and level_idc, a byte each
    levelOf: ([config = '']) => Number.parseInt(config.slice(4, 6), 16) / 10,
    cpuSecondsPerMegapixel: 0.02,
  },
  hevc: {
    label: 'H.265 / HEVC',
    encoder: 'libx265',
    sampleEntry: 'hvc1',
    containers: ['fmp4', 'mp4'],
    isInEveryHlsPlayer: true,
    profiles: { main: eightBit, main10: tenBit },
    crf: { max: 51, default: 28 },
    bitrateFactor: 0.65,
    minSide: 16,
    unsupported: [],
    // the letter of the tier, then general_level_idc
    levelOf: (parts) => Number(parts.find((part) => /^[LH]\d+$/.test(part))?.slice(1)) / 30,
    cpuSecondsPerMegapixel: 0.08,
  },
  av1: {
    label: 'AV1',
    encoder: 'libsvtav1',
    sampleEntry: 'av01',
    containers: ['fmp4', 'mp4'],
    isInEveryHlsPlayer: false,
    profiles: { main: ['yuv420p', 'yuv420p10le'] },
    crf: { max: 63, default: 32 },
    bitrateFactor: 0.55,
    minSide: 64,
    unsupported: ['two_pass', 'level', 'buffer_size'],
    // seq_level_idx, then the letter of the tier
    levelOf: ([, level = '']) => av1Level(Number.parseInt(level, 10)),
    cpuSecondsPerMegapixel: 0.06,
  },
  vp9: {
    label: 'VP9',
    encoder: 'libvpx-vp9',
    sampleEntry: 'vp09',
    containers: ['fmp4', 'mp4'],
    isInEveryHlsPlayer: false,
    profiles: { profile0: eightBit, profile2: tenBit },
    crf: { max: 63, default: 31 },
    bitrateFactor: 0.7,
    minSide: 2,
    unsupported: ['level'],
    levelOf: ([, level = '']) => Number(level) / 10,
    cpuSecondsPerMegapixel: 0.1,
  },
} as const satisfies Record<string, VideoCodecProperties>;

export const audioCodecProperties = {
  aac: {
    label: 'AAC-LC',
    encoder: 'aac',
    sampleEntry: 'mp4a',
    codecString: 'mp4a.40.2',
    containers: ['ts', 'fmp4', 'mp4'],
    isInEveryHlsPlayer: true,
    bitrates: ['64k', '96k', '128k', '160k', '192k', '256k', '384k'],
    channels: [1, 2, 6, 8],
    bitrateBpsPerChannel: { min: 16_000, max: 256_000 },
    fixedSampleRateHz: null,
    channelFallbacks: { 7: 6 },
    channelLayouts: {},
  },
  opus: {
    label: 'Opus',
    encoder: 'libopus',
    sampleEntry: 'Opus',
    codecString: 'opus',
    containers: ['fmp4', 'mp4'],
    isInEveryHlsPlayer: false,
    bitrates: ['48k', '64k', '96k', '112k', '128k', '192k', '256k'],
    channels: [1, 2, 6, 8],
    bitrateBpsPerChannel: { min: 6_000, max: 256_000 },
    fixedSampleRateHz: 48_000,
    channelFallbacks: {},
    // four channels are front and back pairs in Opus, but left, right, centre and back in AAC
    channelLayouts: { 4: 'quad' },
  },
} as const satisfies Record<string, AudioCodecProperties>;

export type VideoCodec = keyof typeof videoCodecProperties;
export type AudioCodec = keyof typeof audioCodecProperties;
type Codec = VideoCodec | AudioCodec;

export type VideoSampleEntry = (typeof videoCodecProperties)[VideoCodec]['sampleEntry'];
export type AudioSampleEntry = (typeof audioCodecProperties)[AudioCodec]['sampleEntry'];

export const videoCodecs = Object.keys(videoCodecProperties) as [VideoCodec, ...VideoCodec[]];
export const audioCodecs = Object.keys(audioCodecProperties) as [AudioCodec, ...AudioCodec[]];

export const isUnsupported = (codec: VideoCodec, key: VideoCodecProperties['unsupported'][number]): boolean =>
  (videoCodecProperties[codec].unsupported as VideoCodecProperties['unsupported']).includes(key);

export const isAudioCodec = (codec: string): codec is AudioCodec => Object.hasOwn(audioCodecProperties, codec);

export const isVideoCodec = (codec: string): codec is VideoCodec => Object.hasOwn(videoCodecProperties, codec);

const propertiesOf = (codec: Codec): CodecProperties =>
  isVideoCodec(codec) ? videoCodecProperties[codec] : audioCodecProperties[codec];

export const isCarriedBy = (container: Container, codec: Codec): boolean =>
  propertiesOf(codec).containers.includes(container);

/** The codecs that a container carries, video first. */
export const codecsIn = (container: Container): Codec[] =>
  [...videoCodecs, ...audioCodecs].filter((codec) => isCarriedBy(container, codec));

export type Profile = { [Name in VideoCodec]: keyof (typeof videoCodecProperties)[Name]['profiles'] }[VideoCodec];

export const profilesOf = (codec: VideoCodec): Profile[] =>
  Object.keys(videoCodecProperties[codec].profiles) as Profile[];

/** The profiles of all codecs, each once. */
export const profiles = [...new Set(videoCodecs.flatMap(profilesOf))] as [Profile, ...Profile[]];

/** Pixel formats of a profile, the 8-bit one first. Empty for a profile that the codec does not have. */
export function pixelFormatsOf(codec: VideoCodec, profile: string): readonly PixelFormat[] {
  const formats: VideoCodecProperties['profiles'] = videoCodecProperties[codec].profiles;
  return Object.hasOwn(formats, profile) ? formats[profile]! : [];
}

/** The pixel format that goes with a profile unless the user asks for another one: 8-bit where the profile has it. */
export function defaultPixelFormat(codec: string | undefined, profile: string | undefined): PixelFormat {
  if (codec === undefined || profile === undefined || !isVideoCodec(codec)) return 'yuv420p';
  return pixelFormatsOf(codec, profile)[0] ?? 'yuv420p';
}

/** Speeds by the names of x264. Each argv builder maps them to the scale of its encoder. */
export const encoderPresets = [
  'ultrafast',
  'superfast',
  'veryfast',
  'faster',
  'fast',
  'medium',
  'slow',
  'slower',
] as const;
export type EncoderPreset = (typeof encoderPresets)[number];
