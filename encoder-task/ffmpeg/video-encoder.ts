import type { EncoderPreset, RateControl, Rung, VideoCodec } from '../../shared/encode.ts';

/** What of an encode differs by codec. Every encoder must put a closed GOP's key frame each `gopFrames` frames and nowhere else. */
type VideoEncoder = (rung: Rung, gopFrames: number, pass: Pass | null) => string[];

/** One of two passes over a chunk; `statsFile` is a path without extension that only this rung uses. */
export type Pass = { number: 1 | 2; statsFile: string };

export const videoEncoderArgs = (rung: Rung, gopFrames: number, pass: Pass | null = null): string[] =>
  encoders[rung.codec](rung, gopFrames, pass);

/** SVT-AV1 takes one pass only (ffmpeg hands it no statistics), so its average is held by its own rate control. */
export const takesTwoPasses = ({ codec, rate }: Rung): boolean =>
  rate.mode === 'bitrate' && rate.twoPass && codec !== 'av1';

const encoders: Record<VideoCodec, VideoEncoder> = { h264, hevc, av1, vp9 };

function h264(rung: Rung, gopFrames: number, pass: Pass | null): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', rung.preset, ...rateArgs(rung.rate), ...profileArgs(rung)],
    // a decoder buffer that starts full lets each chunk's first second pass the cap
    ...(hasBuffer(rung.rate) ? ['-x264-params', 'vbv-init=0.4'] : []),
    ...gopArgs(gopFrames),
    // key frames at scene cuts would differ between rungs
    ...['-sc_threshold', '0', '-flags', '+cgop'],
    ...passArgs(pass),
  ];
}

function hevc(rung: Rung, gopFrames: number, pass: Pass | null): string[] {
  const params = [
    'log-level=error',
    `keyint=${gopFrames}:min-keyint=${gopFrames}:scenecut=0:open-gop=0`,
    ...(hasBuffer(rung.rate) ? ['vbv-init=0.4'] : []),
    ...(rung.level ? [`level-idc=${rung.level}`] : []),
    // x265 knows nothing of ffmpeg's -pass
    ...(pass ? [`pass=${pass.number}:stats=${pass.statsFile}.x265`] : []),
  ];
  return [
    ...['-c:v', 'libx265', '-preset', rung.preset, ...rateArgs(rung.rate)],
    ...(rung.profile ? ['-profile:v', rung.profile] : []),
    // hev1, the default, does not play on Apple's players
    ...['-tag:v', 'hvc1', '-x265-params', params.join(':')],
  ];
}

function av1(rung: Rung, gopFrames: number): string[] {
  const { rate } = rung;
  const quality =
    rate.mode === 'crf'
      ? [...['-crf', String(rate.crf)], ...(rate.maxBitrateBps ? ['-maxrate', String(rate.maxBitrateBps)] : [])]
      : // without rc=1 the wrapper keeps constant quality and ignores the bitrate
        ['-b:v', String(rate.bitrateBps), '-svtav1-params', 'rc=1'];
  return ['-c:v', 'libsvtav1', '-preset', svtAv1Presets[rung.preset], ...quality, '-g', String(gopFrames)];
}

function vp9(rung: Rung, gopFrames: number, pass: Pass | null): string[] {
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
    ...['-c:v', 'libvpx-vp9', '-deadline', deadline, '-cpu-used', String(cpuUsed), ...quality],
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

const hasBuffer = (rate: RateControl): boolean => rate.bufferBits !== null;

function rateArgs(rate: RateControl): string[] {
  const target = rate.mode === 'crf' ? ['-crf', String(rate.crf)] : ['-b:v', String(rate.bitrateBps)];
  return [
    ...target,
    // the encoders take the cap only together with the buffer
    ...(rate.maxBitrateBps && rate.bufferBits
      ? ['-maxrate', String(rate.maxBitrateBps), '-bufsize', String(rate.bufferBits)]
      : []),
  ];
}
