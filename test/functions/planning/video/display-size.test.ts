import { expect, test } from 'vitest';
import { aspectRatio, displaySize } from '../../../../functions/planning/video/display-size.ts';

const square = { num: 1, den: 1 };

test('the sample aspect ratio scales the width', () => {
  const coded = { width: 720, height: 576, sampleAspectRatio: { num: 64, den: 45 }, rotationDegrees: 0 } as const;
  expect(displaySize(coded)).toEqual({ width: 1024, height: 576 });
});

test('a quarter turn swaps the sides after the aspect is applied', () => {
  const coded = { width: 1440, height: 1080, sampleAspectRatio: { num: 4, den: 3 } } as const;
  expect(displaySize({ ...coded, rotationDegrees: 90 })).toEqual({ width: 1080, height: 1920 });
  expect(displaySize({ ...coded, rotationDegrees: 270 })).toEqual({ width: 1080, height: 1920 });
  expect(displaySize({ ...coded, rotationDegrees: 180 })).toEqual({ width: 1920, height: 1080 });
});

test('an invalid sample aspect ratio is treated as square', () => {
  for (const sampleAspectRatio of [
    { num: 1000, den: 1 },
    { num: 1, den: 1000 },
  ]) {
    expect(displaySize({ width: 640, height: 360, sampleAspectRatio, rotationDegrees: 0 })).toEqual({
      width: 640,
      height: 360,
    });
  }
});

test.each([
  [1920, 1080, '16:9'],
  [1366, 768, '16:9'],
  [854, 480, '16:9'],
  [1080, 1920, '9:16'],
  [640, 480, '4:3'],
  [480, 640, '3:4'],
  [2560, 1080, '64:27'],
  [2520, 1080, '21:9'],
  [1080, 720, '3:2'],
  [720, 1080, '2:3'],
  [1080, 1080, '1:1'],
  [1080, 1074, '1:1'],
  [2160, 1080, '2:1'],
  [1920, 804, '160:67'],
  [1080, 1350, '4:5'],
])('%i × %i is %s', (width, height, expected) => {
  expect(aspectRatio({ width, height })).toBe(expected);
});

test('square pixels do not change the size', () => {
  expect(displaySize({ width: 1280, height: 720, sampleAspectRatio: square, rotationDegrees: 0 })).toEqual({
    width: 1280,
    height: 720,
  });
});
