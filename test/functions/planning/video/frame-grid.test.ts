import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameGrid, presentedFrames, timeFrames } from '../../../../functions/planning/video/frame-grid.ts';
import { videoTrack } from '../source-fixture.ts';

const ntsc = { num: 30000, den: 1001 };
const clock = { originSeconds: 0, gopSeconds: 2, segmentSeconds: 6 };

test('a constant rate passes through with exactly the frames of the source', () => {
  const track = videoTrack({
    frameCount: 1799,
    averageFrameRate: ntsc,
    timeBase: { num: 1, den: 90_000 },
    startPts: 135_000,
  });
  const timing = timeFrames(track, ntsc, false);
  expect(timing).toEqual({
    mode: 'passthrough',
    frameRate: ntsc,
    sourceStartSeconds: 1.5,
    frameCount: 1799,
    pictures: { start: 0, end: 1799 },
  });
  expect(frameGrid(timing, { ...clock, originSeconds: 1.4 })).toEqual({
    mode: 'passthrough',
    frameRate: ntsc,
    timescale: 30_000,
    ticksPerFrame: 1001,
    startTicks: 3000,
    sourceStartSeconds: 1.5,
    gopFrames: 60,
    segmentFrames: 180,
  });
});

test('a variable rate is selected on a grid that starts with the first frame', () => {
  const changes = {
    constantFrameRate: false,
    averageFrameRate: { num: 21, den: 2 },
    gridFrameRate: { num: 25, den: 1 },
  };
  const track = videoTrack({ frameCount: 420, ...changes, startPts: 1001, endPts: 1001 + 40 * 15360 + 200 });
  expect(timeFrames(track, { num: 25, den: 1 }, false)).toEqual({
    mode: 'grid',
    frameRate: { num: 25, den: 1 },
    sourceStartSeconds: 1001 / 15360,
    frameCount: 1000,
    pictures: { start: 0, end: 1000 },
  });
});

test('every second frame is selected in the middle between two frames of the source, and the last one is kept', () => {
  const at50 = { averageFrameRate: { num: 50, den: 1 }, timeBase: { num: 1, den: 1000 } };
  const half = { mode: 'grid', pictureDelaySeconds: 0.01, sourceStartSeconds: 0 };
  const timed = (frameCount: number) => timeFrames(videoTrack({ frameCount, ...at50 }), { num: 25, den: 1 }, true);
  expect(timed(300)).toMatchObject({ ...half, frameCount: 150 });
  expect(timed(301)).toMatchObject({ ...half, frameCount: 151 });
  expect(frameGrid(timed(300), clock)).toMatchObject({ pictureDelaySeconds: 0.01 });
});

test('a video shorter than half a frame of the grid still has one', () => {
  const track = videoTrack({ frameCount: 2, constantFrameRate: false, endPts: 1000 });
  expect(timeFrames(track, { num: 1, den: 1 }, true).frameCount).toBe(1);
});

/** 100 frames from second 5 to second 9. */
const four = videoTrack({ frameCount: 100, averageFrameRate: { num: 25, den: 1 }, startPts: 5 * 15360 });
const covered = (originSeconds: number, endSeconds: number, track = four) => {
  const rung = { frameRate: track.averageFrameRate, isCapped: false };
  return presentedFrames(track, rung, { originSeconds, durationSeconds: endSeconds - originSeconds });
};

describe('frames over a presentation', () => {
  test('that is the track are those of the track', () => {
    expect(covered(5, 9)).toEqual(timeFrames(four, four.averageFrameRate, false));
  });

  test('that is longer repeat the first and the last picture, in whole frames on the grid of the source', () => {
    expect(covered(4.5, 9.1)).toMatchObject({
      sourceStartSeconds: 4.52,
      frameCount: 12 + 100 + 2,
      pictures: { start: 12, end: 112 },
    });
    const variable = { ...four, constantFrameRate: false };
    expect(covered(4.5, 9.1, variable)).toMatchObject({ sourceStartSeconds: 4.52, frameCount: 114 });
  });

  test('that is longer by less than a frame are as they were', () => {
    expect(covered(4.97, 9.03)).toEqual(covered(5, 9));
  });

  test('that another plan has set leave out what is before and after it', () => {
    const cut = covered(6, 8.5);
    expect(cut).toMatchObject({ sourceStartSeconds: 6, frameCount: 63, pictures: { start: -25, end: 75 } });
    // a frame that begins less than a frame before the clock starts with it
    expect(frameGrid(covered(5.01, 9), { ...clock, originSeconds: 5.01 }).startTicks).toBe(0);
  });

  test('of one picture start with the presentation, whatever its own time', () => {
    const picture = { ...four, frameCount: 1, endPts: four.startPts + 15360 / 5 };
    const rung = { frameRate: { num: 1, den: 1 }, isCapped: false };
    expect(presentedFrames(picture, rung, { originSeconds: 0.3, durationSeconds: 600 })).toEqual({
      mode: 'passthrough',
      frameRate: rung.frameRate,
      sourceStartSeconds: 0.3,
      frameCount: 600,
      pictures: { start: 0, end: 1 },
    });
  });
});

test.each([
  [{ num: 24, den: 1 }, 24_000, 1000],
  [{ num: 25, den: 2 }, 25_000, 2000],
  [{ num: 24000, den: 1001 }, 24_000, 1001],
  [{ num: 1, den: 1 }, 10_000, 10_000],
  [{ num: 369_000, den: 13_657 }, 369_000, 13_657],
  [{ num: 999_983, den: 33_331 }, 999_983, 33_331],
])('%j has a clock on which a frame is a whole number of ticks', (frameRate, timescale, ticksPerFrame) => {
  const timing = { mode: 'passthrough', frameRate, sourceStartSeconds: 0, frameCount: 10 } as const;
  expect(frameGrid(timing, clock)).toMatchObject({ timescale, ticksPerFrame });
});

test('segments are whole GOPs, as near to their length as the frame rate allows', () => {
  const frames = (num: number, gopSeconds: number, segmentSeconds: number) => {
    const timing = { mode: 'grid', frameRate: { num, den: 1 }, sourceStartSeconds: 0, frameCount: 10 } as const;
    const { gopFrames, segmentFrames } = frameGrid(timing, { originSeconds: 0, gopSeconds, segmentSeconds });
    return [gopFrames, segmentFrames];
  };
  expect(frames(30, 2, 6)).toEqual([60, 180]);
  expect(frames(15, 0.5, 20)).toEqual([8, 304]);
  expect(frames(1, 0.5, 6)).toEqual([1, 6]);
});

test('clocks fit 31 bits and at least a ten-thousandth of a second, for any rate', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 1_000_000 }), (num, den) => {
      const timing = { mode: 'grid', frameRate: { num, den }, sourceStartSeconds: 0, frameCount: 1 } as const;
      const grid = frameGrid(timing, clock);
      expect(grid.timescale).toBeLessThan(2 ** 31);
      expect(grid.timescale).toBeGreaterThanOrEqual(10_000);
      expect(grid.timescale * den).toBe(grid.ticksPerFrame * num);
      expect(grid.segmentFrames % grid.gopFrames).toBe(0);
    }),
  );
});
