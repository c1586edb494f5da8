import type { AudioCodec, EncoderPreset, VideoCodec } from '../protocol/encode-spec.ts';

export const videoCodecs = ['h264', 'hevc', 'av1', 'vp9'] as const satisfies VideoCodec[];
export const audioCodecs = ['aac', 'opus'] as const satisfies AudioCodec[];

/** Speeds by x264's names; each encoder's own scale is behind them. */
export const encoderPresets = [
  'ultrafast',
  'superfast',
  'veryfast',
  'faster',
  'fast',
  'medium',
  'slow',
  'slower',
] as const satisfies EncoderPreset[];

/** Profiles an encoder takes; the ten-bit ones go with yuv420p10le and with nothing else, AV1's main covers both depths. */
export const profiles = {
  h264: ['baseline', 'main', 'high'],
  hevc: ['main', 'main10'],
  av1: ['main'],
  vp9: ['profile0', 'profile2'],
} as const satisfies Record<VideoCodec, string[]>;

export const tenBitProfiles: readonly string[] = ['main10', 'profile2'];
export const eightBitOnlyCodecs: readonly VideoCodec[] = ['h264'];

/** The shortest side of a picture that each encoder takes: of x265 a coding unit, of SVT-AV1 a superblock. */
export const minSides = { h264: 2, hevc: 16, av1: 64, vp9: 2 } as const satisfies Record<VideoCodec, number>;

/** Highest constant rate factor of each encoder. */
export const maxCrf = { h264: 51, hevc: 51, av1: 63, vp9: 63 } as const satisfies Record<VideoCodec, number>;

export const ladderMaxHeights = [240, 360, 480, 540, 720, 1080, 1440, 2160] as const;
export const ladderMinHeights = [144, 240, 360, 480, 540, 720] as const;
