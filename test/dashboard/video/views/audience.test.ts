import { expect, test } from 'vitest';
import { areaOf, tenthsOf } from '../../../../dashboard/video/views/audience.ts';

/** Of ten viewers, half leave in the middle. */
const reached = Array.from({ length: 100 }, (_, index) => (index < 50 ? 10 : 5));

test('the curve begins at the top, and is at half of its height after half of the viewers have left', () => {
  const points = areaOf(reached)
    .slice('M0 100 L'.length, -' L100 100 Z'.length)
    .split(' L')
    .map((point) => point.split(' ').map(Number));
  expect(points).toHaveLength(100);
  expect([points[0], points.at(-1)]).toEqual([
    [0, 0],
    [100, 50],
  ]);
});

test('a video that nobody has watched has a flat curve', () => {
  expect(areaOf([0, 0, 0])).toBe('M0 100 L0 100 L50 100 L100 100 L100 100 Z');
  expect(tenthsOf(Array(100).fill(0), 60).every(({ playbacks, share }) => playbacks === 0 && share === 0)).toBe(true);
});

test('the table has ten parts of the video', () => {
  const tenths = tenthsOf(reached, 60);
  expect(tenths).toHaveLength(10);
  expect(tenths[0]).toEqual({ fromSeconds: 0, toSeconds: 6, playbacks: 10, share: 1 });
  expect(tenths[9]).toEqual({ fromSeconds: 54, toSeconds: 60, playbacks: 5, share: 0.5 });
});
