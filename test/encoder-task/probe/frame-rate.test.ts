import { describe, expect, test } from 'vitest';
import { measureFrameRate } from '../../../encoder-task/probe/frame-rate.ts';
import { formatRational, type Rational, toNumber } from '../../../shared/media/rational.ts';

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

/** PTS of frames with these distances in milliseconds. */
function ptsOf(steps: number[], ticksPerSecond: number): number[] {
  let ms = 0;
  const pts = [0];
  for (const step of steps) {
    ms += step;
    pts.push(Math.round((ms * ticksPerSecond) / 1000));
  }
  return pts;
}
const repeat = (count: number, step: (n: number) => number): number[] =>
  Array.from({ length: count }, (_, n) => step(n));
/** From -1 to 1, the same in each run. */
const noise = (n: number): number => Math.sin(n * 12.9898) * Math.cos(n * 78.233);

describe('frames at variable times have the grid of their finest usual step', () => {
  const at60 = repeat(1200, (n) => n * 1000 * (1 / 60));
  const cases: [what: string, milliseconds: number[], fps: string][] = [
    ['60 fps of a phone without every eighth frame', at60.filter((_, n) => n % 8 !== 7), '60/1'],
    ['30 fps of a phone with drops', at60.filter((_, n) => n % 2 === 0 && n % 80 !== 40), '30/1'],
    ['29.97 with drops', repeat(600, (n) => (n * 1001) / 30).filter((_, n) => n % 40 !== 7), '30000/1001'],
    [
      '25 fps of a camera with jitter and drops',
      repeat(900, (n) => n * 40 + 4 * noise(n)).filter((_, n) => n % 30 !== 7),
      '25/1',
    ],
    [
      '30 fps of a call with much jitter',
      repeat(900, (n) => n * (1000 / 30) + 6 * noise(n)).filter((_, n) => n % 20 !== 7),
      '30/1',
    ],
    ['slow motion of 120 fps with drops', repeat(1200, (n) => (n * 1000) / 120).filter((_, n) => n % 8 !== 7), '120/1'],
  ];
  test.each(cases)('%s', (_, milliseconds, fps) => {
    for (const ticksPerSecond of [1000, 90_000]) {
      const pts = milliseconds.map((ms) => Math.round((ms * ticksPerSecond) / 1000)).sort((a, b) => a - b);
      const { averageFrameRate, constantFrameRate, gridFrameRate } = measure(pts, ticksPerSecond);
      expect([constantFrameRate, formatRational(gridFrameRate!)]).toEqual([false, fps]);
      expect(toNumber(averageFrameRate)).toBeLessThan(toNumber(gridFrameRate!));
    }
  });

  const bySteps: [what: string, steps: number[], fps: string][] = [
    ['a screen that scrolls at 40 fps, 10.6 on average', repeat(636, (n) => (n % 20 < 12 ? 25 : 200)), '40/1'],
    ['flashes of 67 ms once a second', repeat(16, (n) => (n % 2 ? 1030 : 200 / 3)), '15/1'],
    [
      'an hour of a screen that moves once',
      [...repeat(2000, (n) => 1050 + 50 * noise(n)), ...repeat(30, () => 25), ...repeat(1600, () => 1000)],
      '40/1',
    ],
    ['five pictures, three of which are 0.1 s apart', [100, 100, 4800, 4900], '10/1'],
    ['bursts of 37 fps, which is no standard rate', repeat(600, (n) => (n % 9 ? 27 : 170)), '40/1'],
    ['slides', repeat(40, (n) => 12_000 + 8000 * noise(n)), '1/1'],
    [
      'single steps that are too short',
      repeat(300, (n) => (n % 100 === 30 ? 12 : n % 100 === 31 ? 55 : 33.333)),
      '30/1',
    ],
    ['duplicates after a millisecond', repeat(600, (n) => (n % 2 ? 1 : n % 60 === 4 ? 99 : 32.333)), '30/1'],
    [
      'bursts after the capture has stalled',
      repeat(600, (n) => (n % 60 < 10 ? 1 : n % 60 === 10 ? 330 : 33.333)),
      '30/1',
    ],
    ['a sparse beginning at 50 fps', [300, 200, 400, 100, 100, ...repeat(100, () => 20)], '50/1'],
    ['a sparse half at 25 fps', [...repeat(20, () => 250), ...repeat(25, () => 40)], '25/1'],
    ['one frame long before the others', [185, ...repeat(39, () => 33.333)], '30/1'],
    ['10,000 fps', repeat(10_000, () => 0.1), '60/1'],
  ];
  test.each(bySteps)('%s', (_, steps, fps) => {
    const { constantFrameRate, gridFrameRate } = measure(ptsOf(steps, 90_000), 90_000, 90_000);
    expect([constantFrameRate, gridFrameRate && formatRational(gridFrameRate)]).toEqual([false, fps]);
  });
});

test('the average of variable frame times is exact', () => {
  const pts = Array.from({ length: 100 }, (_, n) => n * 3000 + (n % 3) * 900 + (n > 50 ? 9000 : 0));
  expect(measureFrameRate(pts, 309_000, { num: 1, den: 90_000 })).toEqual({
    averageFrameRate: { num: 3000, den: 103 },
    constantFrameRate: false,
    gridFrameRate: { num: 60, den: 1 },
  });
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

test('a container counts frames above the usual rates if most follow each other, and milliseconds otherwise', () => {
  // the hole that FFmpeg writes for the delay of an encoder
  const hole = [0, ...Array.from({ length: 300 }, (_, n) => n + 4)];
  expect(measureFrameRate(hole, 304, { num: 1, den: 100 }, true)).toEqual({
    averageFrameRate: { num: 100, den: 1 },
    constantFrameRate: false,
  });
  const every8th = hole.map((n) => 8 * n);
  expect(measureFrameRate(every8th, 8 * 304, { num: 1, den: 200 }, true)).toHaveProperty('gridFrameRate');
});

test.each([
  [50, 1, 1000, 8],
  [24, 1, 12_288, 8],
  [10, 1, 10_240, 8],
  [30, 1, 90_000, 5],
  [30_000, 1001, 1000, 8],
  [30, 1, 1000, 8],
])('of %i/%i fps at %i ticks per second every %ith frame is missing', (num, den, ticks, every) => {
  const pts = ptsAt({ num, den }, Math.round((4 * num) / den), ticks).filter((_, n) => n % every !== every - 1);
  expect(measure(pts, ticks, Math.round((ticks * den) / num))).toMatchObject({
    constantFrameRate: false,
    gridFrameRate: { num, den },
  });
});

test('a tick of a whole frame is not rounded', () => {
  const pts = [0, ...Array.from({ length: 39 }, (_, n) => n + 2)];
  expect(measureFrameRate(pts, 41, { num: 1, den: 25 }, true).averageFrameRate).toEqual({ num: 25, den: 1 });
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
