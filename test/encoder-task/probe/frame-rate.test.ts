import { describe, expect, test } from 'vitest';
import { measureFrameRate } from '../../../encoder-task/probe/frame-rate.ts';
import type { Rational } from '../../../shared/media/rational.ts';

/** PTS of `frames` frames at a rate, rounded to the ticks of the container. */
const ptsAt = (rate: Rational, frames: number, ticksPerSecond: number, start = 0): number[] =>
  Array.from({ length: frames }, (_, n) => start + Math.round((n * rate.den * ticksPerSecond) / rate.num));

const measure = (pts: number[], ticksPerSecond: number, lastTicks = 1) =>
  measureFrameRate(pts, pts.at(-1)! + lastTicks, { num: 1, den: ticksPerSecond });

describe('a constant rate is recognised with coarse ticks', () => {
  test.each([
    [24_000, 1001, 1000],
    [24, 1, 1000],
    [25, 1, 1000],
    [30_000, 1001, 1000],
    [30, 1, 1000],
    [60_000, 1001, 1000],
    [50, 1, 600],
    [60, 1, 90_000],
    [24_000, 1001, 90_000],
    [25, 2, 1000],
    [240, 1, 90_000],
  ])('%i/%i at %i ticks per second', (num, den, ticks) => {
    expect(measure(ptsAt({ num, den }, 300, ticks, -77), ticks)).toEqual({
      averageFrameRate: { num, den },
      constantFrameRate: true,
    });
  });
});

test('29.97 and 30 in milliseconds are distinguished within a second', () => {
  expect(measure(ptsAt({ num: 30_000, den: 1001 }, 34, 1000), 1000).averageFrameRate).toEqual({
    num: 30_000,
    den: 1001,
  });
  expect(measure(ptsAt({ num: 30, den: 1 }, 34, 1000), 1000).averageFrameRate).toEqual({ num: 30, den: 1 });
});

test('an unusual rate is kept exactly', () => {
  expect(measure(ptsAt({ num: 17, den: 1 }, 170, 17_000), 17_000, 1000)).toEqual({
    averageFrameRate: { num: 17, den: 1 },
    constantFrameRate: true,
  });
});

test('variable frame times have their average rate', () => {
  const pts = Array.from({ length: 100 }, (_, n) => n * 3000 + (n % 3) * 900 + (n > 50 ? 9000 : 0));
  expect(measureFrameRate(pts, 309_000, { num: 1, den: 90_000 })).toEqual({
    averageFrameRate: { num: 3000, den: 103 },
    constantFrameRate: false,
  });
});

test('a few dropped frames do not change the rate, but it is not constant', () => {
  const pts = ptsAt({ num: 30, den: 1 }, 300, 90_000).filter((_, n) => n % 40 !== 20);
  expect(measure(pts, 90_000)).toEqual({ averageFrameRate: { num: 30, den: 1 }, constantFrameRate: false });
});

test('in a container that counts frames, missing frames do not change the rate', () => {
  const timeBase = { num: 1, den: 25 };
  const everySixth = Array.from({ length: 40 }, (_, n) => n * 6 + (n > 20 ? 1 : 0));
  expect(measureFrameRate(everySixth, 241, timeBase, true)).toEqual({
    averageFrameRate: { num: 25, den: 1 },
    constantFrameRate: false,
  });
  const everySecond = Array.from({ length: 40 }, (_, n) => n * 2);
  expect(measureFrameRate(everySecond, 80, timeBase, true)).toEqual({
    averageFrameRate: { num: 25, den: 2 },
    constantFrameRate: true,
  });
});

test('with jitter below half a frame the rate is still constant', () => {
  const pts = ptsAt({ num: 25, den: 1 }, 250, 90_000).map((tick, n) => tick + (n % 2) * 900);
  expect(measureFrameRate(pts, 900_000, { num: 1, den: 90_000 })).toEqual({
    averageFrameRate: { num: 25, den: 1 },
    constantFrameRate: true,
  });
});

test('a single frame is repeated for its duration, at one frame per second', () => {
  const held = { averageFrameRate: { num: 1, den: 1 }, constantFrameRate: false };
  expect(measure([0], 90_000, 90_000 * 3600)).toEqual(held);
  expect(measure([0], 90_000, 3600)).toEqual({ averageFrameRate: { num: 25, den: 1 }, constantFrameRate: true });
});

test('invalid headers and times give rates from 1 to 240', () => {
  expect(measure([0, 900_000], 90_000, 900_000).averageFrameRate).toEqual({ num: 1, den: 1 });
  expect(measure([0, 7, 11, 18], 90_000).averageFrameRate).toEqual({ num: 240, den: 1 });
  expect(measure([5], 25, 1).averageFrameRate).toEqual({ num: 25, den: 1 });
});
