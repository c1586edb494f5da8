import { expect, test } from 'vitest';
import { takesTwoPasses, videoEncoderArgs } from '../../../encoder-task/ffmpeg/video-encoder.ts';
import { smallRung } from '../support/plan.ts';

const crf = { mode: 'crf', crf: 30, maxBitrateBps: null, bufferBits: null } as const;
const average = { mode: 'bitrate', bitrateBps: 1e6, maxBitrateBps: 2e6, bufferBits: 4e6, twoPass: true } as const;

test('constant quality without a cap has no buffer', () => {
  expect(videoEncoderArgs(smallRung('v', { rate: crf, preset: 'medium' }), 60)).toEqual([
    ...['-c:v', 'libx264', '-preset', 'medium', '-crf', '30'],
    ...['-g', '60', '-keyint_min', '60', '-sc_threshold', '0', '-flags', '+cgop'],
  ]);
});

test('HEVC plays on Apple and takes its level from x265', () => {
  const rung = smallRung('v', { codec: 'hevc', rate: average, preset: 'slow', profile: 'main10', level: '4.1' });
  expect(videoEncoderArgs(rung, 48)).toEqual([
    ...['-c:v', 'libx265', '-preset', 'slow', '-b:v', '1000000', '-maxrate', '2000000', '-bufsize', '4000000'],
    ...['-profile:v', 'main10', '-tag:v', 'hvc1', '-x265-params'],
    'log-level=error:keyint=48:min-keyint=48:scenecut=0:open-gop=0:vbv-init=0.4:level-idc=4.1',
  ]);
});

test('AV1 spends an average only when it is told to', () => {
  const rung = smallRung('v', { codec: 'av1', rate: average, preset: 'fast' });
  expect(videoEncoderArgs(rung, 48)).toEqual([
    ...['-c:v', 'libsvtav1', '-preset', '8', '-b:v', '1000000', '-svtav1-params', 'rc=1', '-g', '48'],
  ]);
});

test('the cap of VP9 at constant quality is its bitrate', () => {
  const rate = { ...crf, maxBitrateBps: 500_000, bufferBits: 1e6 };
  const rung = smallRung('v', { codec: 'vp9', rate, preset: 'medium', width: 1280 });
  expect(videoEncoderArgs(rung, 48)).toEqual([
    ...['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', '3', '-crf', '30', '-b:v', '500000'],
    ...['-row-mt', '1', '-tile-columns', '2', '-g', '48', '-keyint_min', '48'],
  ]);
});

test('two passes are for averages, and not for AV1', () => {
  expect(takesTwoPasses(smallRung('v', { rate: average }))).toBe(true);
  expect(takesTwoPasses(smallRung('v', { rate: { ...average, twoPass: false } }))).toBe(false);
  expect(takesTwoPasses(smallRung('v', { rate: crf }))).toBe(false);
  expect(takesTwoPasses(smallRung('v', { rate: average, codec: 'av1' }))).toBe(false);
});
