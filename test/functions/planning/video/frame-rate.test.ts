import { expect, test } from 'vitest';
import { approximate, capRate, outputRate } from '../../../../functions/planning/video/frame-rate.ts';

test.each([
  [29.97, '30000/1001'],
  [23.976, '24000/1001'],
  [23.98, '24000/1001'],
  [59.94, '60000/1001'],
  [119.88, '120000/1001'],
  [30, '30/1'],
  [24, '24/1'],
  [12.5, '25/2'],
  [14.985, '2997/200'],
  [0.001, '1/1'],
])('a cap of %d fps is %s', (fps, expected) => {
  const { num, den } = capRate(fps);
  expect(`${num}/${den}`).toBe(expected);
});

test('the lower of source and cap is used, the source when they are nearly equal', () => {
  const source = { num: 30000, den: 1001 };
  expect(outputRate(source, undefined)).toEqual({ frameRate: source, isCapped: false });
  expect(outputRate(source, 60)).toEqual({ frameRate: source, isCapped: false });
  expect(outputRate({ num: 300003, den: 10000 }, 30)).toEqual({
    frameRate: { num: 300003, den: 10000 },
    isCapped: false,
  });
  expect(outputRate({ num: 30, den: 1 }, 29.97)).toEqual({ frameRate: source, isCapped: true });
  expect(outputRate({ num: 60, den: 1 }, 29.97)).toEqual({ frameRate: source, isCapped: true });
});

test('a rate with large terms becomes the nearest fraction with small terms', () => {
  expect(approximate({ num: 30_000_000_001, den: 1_001_000_000 })).toEqual({ num: 30000, den: 1001 });
  expect(approximate({ num: 369_000, den: 13_657 })).toEqual({ num: 369_000, den: 13_657 });
  const { num, den } = approximate({ num: 2 ** 52 - 1, den: 150_119_987_579_016 });
  expect(num).toBeLessThanOrEqual(1_000_000);
  expect(num / den).toBeCloseTo((2 ** 52 - 1) / 150_119_987_579_016, 9);
});
