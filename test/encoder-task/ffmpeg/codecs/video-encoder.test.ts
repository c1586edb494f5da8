import { expect, test } from 'vitest';
import { crfStep, usesTwoPasses, videoEncoderArgs } from '../../../../encoder-task/ffmpeg/codecs/video-encoder.ts';
import { encoderPresets, type VideoCodec } from '../../../../shared/media/codecs.ts';
import type { Hdr10 } from '../../../../shared/protocol/encode-spec.ts';
import { smallRung } from '../../support/plan.ts';

const crf = { mode: 'crf', crf: 30, maxBitrateBps: null, bufferBits: null } as const;
const context = { gopFrames: 48, pass: null, hdr10: null, coreShare: 1, lookahead: null, encoders: {} };
const average = { mode: 'bitrate', bitrateBps: 1e6, maxBitrateBps: 2e6, bufferBits: 4e6, twoPass: true } as const;

test('constant quality without a maximum bitrate has no buffer', () => {
  expect(
    videoEncoderArgs(smallRung('v', { rate: crf, preset: 'medium' }), { ...context, gopFrames: 60, lookahead: 20 }),
  ).toEqual([
    ...['-c:v', 'libx264', '-preset', 'medium', '-crf', '30'],
    // the encoders of a ladder run at the same time, each with its lookahead
    ...['-x264-params', 'threads=2:stitchable=1:rc-lookahead=20:sync-lookahead=0'],
    ...['-g', '60', '-keyint_min', '60', '-sc_threshold', '0', '-flags', '+cgop'],
  ]);
});

test('the finest quality of H.264 and AV1 is 1, because 0 means lossless or nothing', () => {
  const finest = (codec: VideoCodec) => {
    const rung = smallRung('v', { codec, rate: { ...crf, crf: 0 } });
    const args = videoEncoderArgs(rung, context);
    return args[args.indexOf('-crf') + 1];
  };
  expect((['h264', 'av1', 'hevc', 'vp9'] as const).map(finest)).toEqual(['1', '1', '0', '0']);
});

test('H.264 leaves out closed captions that it cannot keep', () => {
  const rung = smallRung('v', { rate: crf });
  expect(videoEncoderArgs(rung, { ...context, dropsClosedCaptions: true }).slice(-2)).toEqual(['-a53cc', '0']);
  expect(videoEncoderArgs(rung, { ...context, dropsClosedCaptions: false })).not.toContain('-a53cc');
});

test('H.264 has threads for its share of the cores, at least two', () => {
  const threadsFor = (coreShare: number) =>
    /threads=(\d+)/.exec(videoEncoderArgs(smallRung('v', { rate: crf }), { ...context, coreShare }).join(' '))![1];
  expect([0.1, 1, 2, 2.2, 8].map(threadsFor)).toEqual(['2', '2', '3', '4', '12']);
});

test('HEVC has the tag for Apple players, and passes its level to x265', () => {
  const rung = smallRung('v', { codec: 'hevc', rate: average, preset: 'slow', profile: 'main10', level: '4.1' });
  expect(videoEncoderArgs(rung, context)).toEqual([
    ...['-c:v', 'libx265', '-preset', 'slow', '-b:v', '1000000', '-maxrate', '2000000', '-bufsize', '2857142'],
    ...['-profile:v', 'main10', '-tag:v', 'hvc1', '-x265-params'],
    'log-level=error:keyint=48:min-keyint=48:scenecut=0:open-gop=0:vbv-init=0.4:level-idc=4.1',
  ]);
});

test('an average bitrate of AV1 is constant quality with that maximum', () => {
  const rung = smallRung('v', { codec: 'av1', rate: average, preset: 'fast' });
  expect(videoEncoderArgs(rung, context)).toEqual([
    ...['-c:v', 'libsvtav1', '-preset', '8', '-crf', '25', '-maxrate', '1000000', '-g', '48'],
    ...['-chroma_sample_location', 'left'],
  ]);
});

test('presets of AV1 are those that its version of the encoder has, and each is at least as slow as the one before', () => {
  const presetsWith = (version: string) =>
    encoderPresets.map((preset) => {
      const args = videoEncoderArgs(smallRung('v', { codec: 'av1', rate: crf, preset }), {
        ...context,
        encoders: { av1: `libsvtav1 ${version}` },
      });
      return Number(args[args.indexOf('-preset') + 1]);
    });
  expect(presetsWith('2.3.0')).toEqual([12, 11, 10, 9, 8, 7, 5, 3]);
  expect(presetsWith('4.2.0')).toEqual([10, 9, 9, 8, 8, 7, 5, 3]);
  expect(presetsWith('3.1.2')).toEqual(presetsWith('10.0.0'));
});

test('a quarter of a step of CRF is passed where the encoder takes it, or else a little more quality', () => {
  const quarter = { ...crf, crf: 30.25 };
  const argsFor = (codec: VideoCodec, av1 = '') => {
    const rung = smallRung('v', { codec, rate: quarter });
    return videoEncoderArgs(rung, { ...context, encoders: { av1: `libsvtav1 ${av1}` } }).join(' ');
  };
  expect(argsFor('h264')).toContain('-crf 30.25 ');
  expect(argsFor('hevc')).toContain('-crf 30.25 ');
  expect(argsFor('av1', '4.2.0')).toMatch(/-crf 30 -g 48 .*-svtav1-params crf=30\.25$/);
  for (const version of ['2.3.0', '3.1.2', ''])
    expect(argsFor('av1', version)).toMatch(/-crf 30 -g 48 -chroma_sample_location left$/);
});

test.each([
  ['h264', {}, 0.25],
  ['hevc', {}, 0.25],
  ['vp9', { av1: 'libsvtav1 4.2.0' }, 1],
  ['av1', { av1: 'libsvtav1 4.2.0' }, 0.25],
  ['av1', { av1: 'libsvtav1 10.0.0' }, 0.25],
  ['av1', { av1: 'libsvtav1 3.1.2' }, 1],
  ['av1', {}, 1],
] as const)('steps of CRF of %s with %j are %d', (codec, encoders, step) => {
  expect(crfStep(codec, encoders)).toBe(step);
});

test('the maximum bitrate of VP9 at constant quality is its bitrate option', () => {
  const rate = { ...crf, maxBitrateBps: 500_000, bufferBits: 1e6 };
  const rung = smallRung('v', { codec: 'vp9', rate, preset: 'medium', width: 1280 });
  expect(videoEncoderArgs(rung, context)).toEqual([
    ...['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', '3', '-crf', '30', '-b:v', '500000'],
    ...['-row-mt', '1', '-tile-columns', '2', '-g', '48', '-keyint_min', '48', '-chroma_sample_location', 'left'],
  ]);
});

const hdr10: Hdr10 = {
  screen: {
    red: [34_000, 16_000],
    green: [13_250, 34_500],
    blue: [7500, 3000],
    white: [15_635, 16_450],
    maxLuminance: 10_000_000,
    minLuminance: 1,
  },
  light: { maxContent: 1000, maxFrameAverage: 400 },
};

test('HDR10 metadata is passed to each encoder in its units', () => {
  const argsFor = (codec: VideoCodec) => videoEncoderArgs(smallRung('v', { codec, rate: crf }), { ...context, hdr10 });
  expect(argsFor('hevc').at(-1)).toBe(
    'log-level=error:keyint=48:min-keyint=48:scenecut=0:open-gop=0:info=0:hdr10=1:' +
      'master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400',
  );
  expect(argsFor('av1').at(-1)).toBe(
    'enable-hdr=1:mastering-display=G(0.26500,0.69000)B(0.15000,0.06000)R(0.68000,0.32000)WP(0.31270,0.32900)' +
      'L(1000.00000,0.00010):content-light=1000,400',
  );
  expect(argsFor('vp9').join()).not.toContain('1000,400');
});

test('two passes are used for average bitrates, but not for AV1', () => {
  expect(usesTwoPasses(smallRung('v', { rate: average }))).toBe(true);
  expect(usesTwoPasses(smallRung('v', { rate: { ...average, twoPass: false } }))).toBe(false);
  expect(usesTwoPasses(smallRung('v', { rate: crf }))).toBe(false);
  expect(usesTwoPasses(smallRung('v', { rate: average, codec: 'av1' }))).toBe(false);
});
