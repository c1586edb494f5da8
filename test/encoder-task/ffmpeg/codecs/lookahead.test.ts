import { describe, expect, test } from 'vitest';
import { lookaheadFrames } from '../../../../encoder-task/ffmpeg/codecs/lookahead.ts';
import type { Rung } from '../../../../shared/protocol/encode-spec.ts';
import { smallRung } from '../../support/plan.ts';

const widths = { 2160: 3840, 1440: 2560, 1080: 1920, 720: 1280, 540: 960, 480: 854, 360: 640, 240: 426 };
const ladderOf = (heights: (keyof typeof widths)[], more: Partial<Rung> = {}): Rung[] =>
  heights.map((height) => smallRung(`${height}p`, { width: widths[height], height, preset: 'medium', ...more }));
const framesOf = (rungs: Rung[]): (number | null)[] => rungs.map((rung) => lookaheadFrames(rung, rungs));
/** Buffered pixels, in millions. */
const bufferedBy = (rungs: Rung[]): number =>
  rungs.reduce((sum, rung) => sum + (lookaheadFrames(rung, rungs)! * rung.width * rung.height) / 1e6, 0);

describe('the look-ahead of x264', () => {
  test('is that of the preset in the small rungs of a large ladder, and 20 frames in the large ones', () => {
    expect(framesOf(ladderOf([1080, 720, 480, 360, 240]))).toEqual([20, 20, 20, 20, 38]);
    expect(framesOf(ladderOf([2160, 1080, 540, 360, 240]))).toEqual([20, 20, 20, 35, 40]);
  });

  test('is longer in ladders of fewer pixels', () => {
    expect(framesOf(ladderOf([720, 540, 480, 360, 240]))).toEqual([23, 40, 40, 40, 40]);
    expect(framesOf(ladderOf([480, 360]))).toEqual([40, 40]);
    expect(framesOf(ladderOf([1080]))).toEqual([34]);
  });

  test('does not depend on the order of the rungs', () => {
    const rungs = ladderOf([1080, 720, 480, 360, 240]);
    const reversed = rungs.toReversed();
    expect(rungs.map((rung) => lookaheadFrames(rung, reversed))).toEqual(framesOf(rungs));
  });

  test('is at most that of the preset, and left to presets that need few frames', () => {
    expect(framesOf(ladderOf([360], { preset: 'slower' }))).toEqual([60]);
    expect(framesOf(ladderOf([360], { preset: 'fast' }))).toEqual([30]);
    expect(framesOf(ladderOf([360], { preset: 'faster' }))).toEqual([20]);
    expect(framesOf(ladderOf([360], { preset: 'veryfast' }))).toEqual([null]);
  });

  test('leaves the memory of rungs of other codecs to them', () => {
    const [large] = ladderOf([1080], { codec: 'hevc' });
    const [small] = ladderOf([360]);
    expect(lookaheadFrames(small!, [small!, large!])).toBe(40);
  });

  test('buffers no more than the memory limits of workers allow', () => {
    for (const preset of ['medium', 'slower'] as const) {
      const large = ladderOf([1080, 720, 480, 360, 240], { preset });
      expect(bufferedBy(large)).toBeLessThan(77);
      expect(bufferedBy(ladderOf([720, 540, 480, 360, 240], { preset }))).toBeLessThan(72);
      const largest = ladderOf([2160, 1440, 1080, 720, 540], { preset });
      expect(bufferedBy(largest)).toBeLessThan(
        (20.5 / 20) * bufferedBy(largest.map((rung) => ({ ...rung, preset: 'faster' }))),
      );
    }
  });
});
