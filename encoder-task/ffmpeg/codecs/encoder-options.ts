import type { Hdr10, RateControl, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { Encoders } from '../../../shared/protocol/jobs.ts';

/** What an encoder needs besides its rung. */
export type EncoderContext = {
  gopFrames: number;
  pass: Pass | null;
  /** metadata of the rendition; null when it is not PQ */
  hdr10: Hdr10 | null;
  /** the frames carry closed captions that the rendition cannot keep; absent otherwise */
  dropsClosedCaptions?: boolean;
  /** the rung's share of the processor cores */
  coreShare: number;
  /** frames that x264 looks ahead; null for the default of the preset */
  lookahead: number | null;
  /** versions of the encoders of this machine's ffmpeg */
  encoders: Encoders;
};

/** One of two passes over a chunk; `statsFile` is a path without extension that no other rung uses. */
export type Pass = { number: 1 | 2; statsFile: string };

/**
 * Encoder arguments of a rung. Every encoder must put the key frame of a closed GOP at every `gopFrames`th frame and
 * nowhere else.
 */
export type VideoEncoder = (rung: Rung, context: EncoderContext) => string[];

export const gopArgs = (gopFrames: number): string[] => ['-g', String(gopFrames), '-keyint_min', String(gopFrames)];

export const profileArgs = ({ profile, level }: Rung): string[] => [
  ...(profile ? ['-profile:v', profile] : []),
  ...(level ? ['-level:v', level] : []),
];

export const passArgs = (pass: Pass | null): string[] =>
  pass ? ['-pass', String(pass.number), '-passlogfile', pass.statsFile] : [];

/**
 * Fullness of the decoder buffer at the start of each chunk. A chunk is encoded without knowledge of the buffer that
 * the previous chunk leaves. Any part of one chunk uses at most the buffer plus what arrives during it; from the start
 * of a chunk it uses at most this share of the buffer plus what arrives. With buffers smaller by this share, no part
 * across a chunk border uses more than the requested buffer.
 */
const startFullness = 0.4;
const chunkBufferBits = (bufferBits: number): number => Math.floor(bufferBits / (1 + startFullness));

/** x264's and x265's parameter for `startFullness`. */
export const vbvInit = (rate: RateControl): string[] => (rate.bufferBits === null ? [] : [`vbv-init=${startFullness}`]);

/**
 * CRF 0 of x264 is lossless, in a profile that browsers do not decode and that excludes all others. CRF 0 of SVT-AV1 is
 * its default, 35. So 1 is their finest.
 */
export const lossy = (rate: RateControl): RateControl =>
  rate.mode === 'crf' ? { ...rate, crf: Math.max(1, rate.crf) } : rate;

export function rateArgs(rate: RateControl): string[] {
  const target = rate.mode === 'crf' ? ['-crf', String(rate.crf)] : ['-b:v', String(rate.bitrateBps)];
  return [
    ...target,
    // encoders apply the maximum bitrate only together with a buffer size
    ...(rate.maxBitrateBps && rate.bufferBits
      ? ['-maxrate', String(rate.maxBitrateBps), '-bufsize', String(chunkBufferBits(rate.bufferBits))]
      : []),
  ];
}

/**
 * For codecs of which MP4 tells where the samples of chroma lie: between two lines of luma, as in nearly all videos and
 * in what ffmpeg scales. Since version 9, its scaled frames do not say so.
 */
export const chromaLocation = ['-chroma_sample_location', 'left'];
