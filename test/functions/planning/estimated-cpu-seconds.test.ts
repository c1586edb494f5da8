import { expect, test } from 'vitest';
import { estimatedAudioSeconds, estimatedCpuSeconds } from '../../../functions/planning/estimated-cpu-seconds.ts';
import type { Chunk, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';

const grid = { frameRate: { num: 30, den: 1 } };
const chunk = { startFrame: 0, endFrame: 240 };

const secondsOf = (rung: Partial<Rung>, twoPass: boolean): number => {
  const rate = { mode: 'bitrate', bitrateBps: 1e6, maxBitrateBps: 2e6, bufferBits: 4e6, twoPass } as const;
  const base = { name: 'v', width: 640, height: 360, codec: 'h264', preset: 'medium', rate };
  const [job, empty] = [[{ ...base, ...rung }] as never, []].map((rungs) => estimatedCpuSeconds(chunk, grid, rungs));
  return job! - empty!;
};

/** Measured with ffmpeg: user time of two passes relative to one, without the time of decoding. */
test.each([
  ['h264', 'ultrafast', 1.5],
  ['h264', 'veryfast', 1.4],
  ['h264', 'medium', 1.06],
  ['h264', 'slow', 1],
  ['hevc', 'medium', 2],
  ['vp9', 'medium', 1.5],
] as const)('two passes of %s at preset %s take %d times one pass', (codec, preset, measured) => {
  const ratio = (secondsOf({ codec, preset }, true) - 8 / 50) / secondsOf({ codec, preset }, false);
  expect(ratio / measured).toBeGreaterThan(0.85);
  expect(ratio / measured).toBeLessThan(1.2);
});

test('a codec without two passes, and a copied track, cost as much as with one', () => {
  for (const rung of [{ codec: 'av1' }, { copied: true }] as Partial<Rung>[]) {
    expect(secondsOf(rung, true)).toBe(secondsOf(rung, false));
  }
});

test('audio costs by its length, codec, channels and loudness', () => {
  const stereo = { codec: 'aac', channels: 2, loudnessLufs: null } as const;
  const hour = 3600;
  expect(estimatedAudioSeconds(stereo, 10)).toBeCloseTo(1.1, 1);
  expect(estimatedAudioSeconds(stereo, hour)).toBeCloseTo(40, 0);
  expect(estimatedAudioSeconds({ ...stereo, codec: 'opus' }, hour)).toBeCloseTo(28, 0);
  expect(estimatedAudioSeconds({ ...stereo, channels: 6 }, hour)).toBeCloseTo(55.6, 0);
  expect(estimatedAudioSeconds({ ...stereo, loudnessLufs: -16 }, hour)).toBeCloseTo(112, 0);
});

test('held frames cost less than others, and repeated segments nothing', () => {
  const rungs = [{ codec: 'h264', preset: 'medium', width: 1280, height: 720, rate: { mode: 'crf' } }] as Rung[];
  const whole = { ...grid, mode: 'passthrough', gopFrames: 60, segmentFrames: 180 } as FrameGrid;
  const seconds = (changes: Partial<Chunk>): number => estimatedCpuSeconds({ ...chunk, ...changes }, whole, rungs);
  expect(seconds({ pictures: 120 })).toBeLessThan(0.75 * seconds({}));
  const held = { endFrame: 18_000, pictures: 0 };
  expect(seconds(held)).toBe(seconds({ ...held, endFrame: 540 }));
  expect(seconds({ ...held, pictures: 17_999 })).toBeGreaterThan(30 * seconds(held));
});
