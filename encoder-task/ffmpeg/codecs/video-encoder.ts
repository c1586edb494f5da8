import { type EncoderPreset, type VideoCodec, videoCodecFacts } from '../../../shared/media/codecs.ts';
import type { Hdr10, RateControl, Rung } from '../../../shared/protocol/encode-spec.ts';
import { svtAv1Hdr10, x265Hdr10 } from './hdr10-params.ts';

/** What a rung does not say. `hdr10` is of the rendition: null when that is not PQ. `coreShare` are the processor cores for it beside the others. */
type Circumstances = { gopFrames: number; pass: Pass | null; hdr10: Hdr10 | null; coreShare: number };

/** What of an encode differs by codec. Every encoder must put a closed GOP's key frame each `gopFrames` frames and nowhere else. */
type VideoEncoder = (rung: Rung, circumstances: Circumstances) => string[];

/** One of two passes over a chunk; `statsFile` is a path without extension that only this rung uses. */
export type Pass = { number: 1 | 2; statsFile: string };

export const videoEncoderArgs = (rung: Rung, circumstances: Circumstances): string[] =>
  encoders[rung.codec](rung, circumstances);

export const takesTwoPasses = ({ codec, rate }: Rung): boolean =>
  rate.mode === 'bitrate' && rate.twoPass && videoCodecFacts[codec].supportsTwoPass;

const encoders: Record<VideoCodec, VideoEncoder> = { h264, hevc, av1, vp9 };

function h264(rung: Rung, { gopFrames, pass, coreShare }: Circumstances): string[] {
  const params = [
    `threads=${x264Threads(coreShare)}`,
    ...(hasBuffer(rung.rate) ? [`vbv-init=${startFullness}`] : []),
    ...(looksFarAhead.has(rung.preset) ? shortLookahead : []),
  ];
  return [
    ...['-c:v', videoCodecFacts.h264.encoder, '-preset', rung.preset, ...rateArgs(rung.rate), ...profileArgs(rung)],
    ...['-x264-params', params.join(':'), ...gopArgs(gopFrames)],
    // key frames at scene cuts would differ between rungs
    ...['-sc_threshold', '0', '-flags', '+cgop'],
    ...passArgs(pass),
  ];
}

/**
 * x264's own number is 1.5 for each core of the machine, for every rung, and each holds a frame: a ladder of five would hold those of five machines. With
 * one, a rung would be encoded while all others wait.
 */
const x264Threads = (coreShare: number): number => Math.max(2, Math.ceil(1.5 * coreShare));

/** Of these presets x264 holds 20 to 60 frames of every rung before it writes the first. */
const looksFarAhead = new Set<EncoderPreset>(['faster', 'fast', 'medium', 'slow', 'slower']);
/**
 * As far as 600 MiB for a ladder of 1080p and 1600 for one of 2160p go; 40 frames, medium's own, took 905 and 2344. By estimate, from single encodes of
 * three clips (people, a film, a still camera), the same PSNR takes about 0.2, 2 and 3 % more bytes with 21 frames than with 40, and 0.6, 4 and 13 % with 14.
 * The frames beyond, for a thread of its own, cost memory alone.
 */
const shortLookahead = ['rc-lookahead=20', 'sync-lookahead=0'];

function hevc(rung: Rung, { gopFrames, pass, hdr10 }: Circumstances): string[] {
  const params = [
    'log-level=error',
    `keyint=${gopFrames}:min-keyint=${gopFrames}:scenecut=0:open-gop=0`,
    ...(hasBuffer(rung.rate) ? [`vbv-init=${startFullness}`] : []),
    ...(rung.level ? [`level-idc=${rung.level}`] : []),
    ...(hdr10 ? x265Hdr10(hdr10) : []),
    // x265 knows nothing of ffmpeg's -pass
    ...(pass ? [`pass=${pass.number}:stats=${pass.statsFile}.x265`] : []),
  ];
  return [
    ...['-c:v', videoCodecFacts.hevc.encoder, '-preset', rung.preset, ...rateArgs(rung.rate)],
    ...(rung.profile ? ['-profile:v', rung.profile] : []),
    // hev1, the default, does not play on Apple's players
    ...['-tag:v', videoCodecFacts.hevc.sampleEntry, '-x265-params', params.join(':')],
  ];
}

/**
 * An average is constant quality under a cap of that average. SVT-AV1's own average (rc=1) let a second of noise have 1876 kbit/s of an average of 400
 * and a cap of 600, and takes neither buffer nor cap; capped quality stayed below 610.
 */
function av1(rung: Rung, { gopFrames, hdr10 }: Circumstances): string[] {
  const { rate } = rung;
  const [crf, cap] = rate.mode === 'crf' ? [rate.crf, rate.maxBitrateBps] : [bestCrfOfAnAverage, rate.bitrateBps];
  return [
    ...['-c:v', videoCodecFacts.av1.encoder, '-preset', svtAv1Presets[rung.preset], '-crf', String(crf)],
    ...(cap === null ? [] : ['-maxrate', String(cap)]),
    ...['-g', String(gopFrames)],
    ...(hdr10 ? ['-svtav1-params', svtAv1Hdr10(hdr10).join(':')] : []),
  ];
}

/** Finer than this is not seen, so an easy scene leaves bits of its average unused. */
const bestCrfOfAnAverage = 25;

function vp9(rung: Rung, { gopFrames, pass }: Circumstances): string[] {
  const { rate } = rung;
  const { cpuUsed, ...preset } = vpxPresets[rung.preset];
  // the real-time encoder writes no statistics
  const deadline = pass ? 'good' : preset.deadline;
  const quality =
    rate.mode === 'crf'
      ? // b:v is the cap of constrained quality, 0 means none
        ['-crf', String(rate.crf), '-b:v', String(rate.maxBitrateBps ?? 0)]
      : rateArgs(rate);
  return [
    ...['-c:v', videoCodecFacts.vp9.encoder, '-deadline', deadline, '-cpu-used', String(cpuUsed), ...quality],
    ...['-row-mt', '1', '-tile-columns', rung.width >= 1280 ? '2' : '1'],
    ...gopArgs(gopFrames),
    ...passArgs(pass),
  ];
}

const svtAv1Presets: Record<EncoderPreset, string> = {
  ultrafast: '12',
  superfast: '11',
  veryfast: '10',
  faster: '9',
  fast: '8',
  medium: '7',
  slow: '5',
  slower: '3',
};

const vpxPresets: Record<EncoderPreset, { deadline: 'realtime' | 'good'; cpuUsed: number }> = {
  ultrafast: { deadline: 'realtime', cpuUsed: 8 },
  superfast: { deadline: 'realtime', cpuUsed: 7 },
  veryfast: { deadline: 'realtime', cpuUsed: 6 },
  faster: { deadline: 'good', cpuUsed: 5 },
  fast: { deadline: 'good', cpuUsed: 4 },
  medium: { deadline: 'good', cpuUsed: 3 },
  slow: { deadline: 'good', cpuUsed: 2 },
  slower: { deadline: 'good', cpuUsed: 1 },
};

const gopArgs = (gopFrames: number): string[] => ['-g', String(gopFrames), '-keyint_min', String(gopFrames)];

const profileArgs = ({ profile, level }: Rung): string[] => [
  ...(profile ? ['-profile:v', profile] : []),
  ...(level ? ['-level:v', level] : []),
];

const passArgs = (pass: Pass | null): string[] =>
  pass ? ['-pass', String(pass.number), '-passlogfile', pass.statsFile] : [];

/**
 * Each chunk is encoded without knowing what the one before left in the decoder's buffer. A stretch of one chunk takes at most the buffer and what flows
 * in meanwhile; from a chunk's start it takes at most this share of the buffer and what flows in. So with buffers this much smaller, no stretch over a
 * joint takes more than the buffer that was asked for.
 */
const startFullness = 0.4;
const chunkBufferBits = (bufferBits: number): number => Math.floor(bufferBits / (1 + startFullness));

const hasBuffer = (rate: RateControl): boolean => rate.bufferBits !== null;

function rateArgs(rate: RateControl): string[] {
  const target = rate.mode === 'crf' ? ['-crf', String(rate.crf)] : ['-b:v', String(rate.bitrateBps)];
  return [
    ...target,
    // the encoders take the cap only together with the buffer
    ...(rate.maxBitrateBps && rate.bufferBits
      ? ['-maxrate', String(rate.maxBitrateBps), '-bufsize', String(chunkBufferBits(rate.bufferBits))]
      : []),
  ];
}
