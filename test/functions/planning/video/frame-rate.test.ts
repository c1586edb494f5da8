import { describe, expect, test } from 'vitest';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { approximate, capRate, outputRate, sourceRate } from '../../../../functions/planning/video/frame-rate.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import { formatRational, parseRational } from '../../../../shared/media/rational.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { evenIndex, probeOf, videoTrack } from '../source-fixture.ts';

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

test('a source is kept that is not above the cap, or only by the error of a measurement', () => {
  const source = { num: 30000, den: 1001 };
  expect(outputRate(source, undefined)).toEqual({ frameRate: source, isCapped: false });
  expect(outputRate(source, 60)).toEqual({ frameRate: source, isCapped: false });
  expect(outputRate({ num: 24, den: 1 }, 30)).toEqual({ frameRate: { num: 24, den: 1 }, isCapped: false });
  expect(outputRate({ num: 300003, den: 10000 }, 30)).toEqual({
    frameRate: { num: 300003, den: 10000 },
    isCapped: false,
  });
});

describe('above the cap, every n-th frame is used', () => {
  test.each([
    ['50/1', 30, '25/1'],
    ['60000/1001', 30, '30000/1001'],
    ['60/1', 30, '30/1'],
    ['144/1', 60, '48/1'],
    ['144/1', 30, '144/5'],
    ['100/1', 60, '50/1'],
    ['90/1', 60, '45/1'],
    ['120000/1001', 60, '60000/1001'],
    ['48/1', 30, '24/1'],
    ['240/1', undefined, '60/1'],
    ['165/1', undefined, '55/1'],
    ['50003/1000', 25, '50003/2000'],
  ])('%s with a cap of %s becomes %s', (source, cap, expected) => {
    const { frameRate, isCapped } = outputRate(parseRational(source)!, cap);
    expect([formatRational(frameRate), isCapped]).toEqual([expected, true]);
  });

  test.each([
    ['25/1', 24, '24/1'],
    ['30000/1001', 24, '24000/1001'],
    ['30000/1001', 25, '25000/1001'],
    ['24000/1001', 23.5, '47/2'],
    ['2997/100', 24, '24/1'],
    ['30/1', 29.97, '30000/1001'],
    ['60/1', 29.97, '30000/1001'],
    ['60/1', 50, '50/1'],
    ['75/1', 60, '60/1'],
  ])('except where that is below three quarters of the cap: %s with %s becomes %s', (source, cap, expected) => {
    const { frameRate, isCapped } = outputRate(parseRational(source)!, cap);
    expect([formatRational(frameRate), isCapped]).toEqual([expected, true]);
  });
});

describe('the rate of a source', () => {
  const screen = (changes: Partial<VideoTrack> & { frameCount: number; seconds: number }) =>
    sourceRate({
      ...videoTrack({ constantFrameRate: false, averageFrameRate: { num: 1, den: 1 }, ...changes }),
      timeBase: { num: 1, den: 1000 },
      startPts: 0,
      endPts: changes.seconds * 1000,
    });
  const at60 = { num: 60, den: 1 };

  test('that varies is that of its grid', () => {
    expect(screen({ frameCount: 600, seconds: 60, gridFrameRate: at60 })).toEqual(at60);
    expect(screen({ frameCount: 5, seconds: 10, gridFrameRate: { num: 10, den: 1 } })).toEqual({ num: 10, den: 1 });
  });

  test('that was probed by an earlier version, or is constant, is its average', () => {
    expect(screen({ frameCount: 600, seconds: 60 })).toEqual({ num: 1, den: 1 });
    expect(sourceRate(videoTrack({ frameCount: 60 }))).toEqual({ num: 30, den: 1 });
  });

  test('that moves for a second and stands still for hours is a part of the grid with as many repeats as its size allows', () => {
    const hours = { frameCount: 30, seconds: 2 * 3600, gridFrameRate: at60 };
    // 3,600 + 30 + 18,000 frames in 7,200 s
    expect(screen(hours)).toEqual({ num: 3, den: 1 });
    // 1,000 kbit/s are 900 MB
    expect(screen({ ...hours, bitrateBps: 1_000_000 })).toEqual(at60);
    expect(screen({ ...hours, frameCount: 2 })).toEqual({ num: 1, den: 1 });
  });
});

test('a rate with large terms becomes the nearest fraction with small terms', () => {
  expect(approximate({ num: 30_000_000_001, den: 1_001_000_000 })).toEqual({ num: 30000, den: 1001 });
  expect(approximate({ num: 369_000, den: 13_657 })).toEqual({ num: 369_000, den: 13_657 });
  const { num, den } = approximate({ num: 2 ** 52 - 1, den: 150_119_987_579_016 });
  expect(num).toBeLessThanOrEqual(1_000_000);
  expect(num / den).toBeCloseTo((2 ** 52 - 1) / 150_119_987_579_016, 9);
});

const rung = (name: string, height: number, fps?: number) => ({ name, codec: 'h264', height, bitrate: '2M', fps });

function decisionsFor(track: Partial<VideoTrack>, video: object[]) {
  const source = videoTrack({ frameCount: 600, ...track });
  const query = templateQuerySchema.parse({ video, outputs: [{ format: 'hls' }] });
  return planVideo({ probe: probeOf({ video: source }), frames: evenIndex(source), query, capacity: 1 }).decisions;
}

test('nothing is decided about a constant rate that is kept, or that becomes what the template names', () => {
  expect(decisionsFor({}, [rung('v', 720), rung('w', 360, 30), rung('x', 240, 15)])).toEqual([]);
});

test('a variable rate has a decision with the chosen and the average rate', () => {
  const varying = {
    averageFrameRate: { num: 21, den: 2 },
    constantFrameRate: false,
    gridFrameRate: { num: 40, den: 1 },
  };
  expect(decisionsFor(varying, [rung('v', 720)])).toEqual([
    { code: 'frame_rate_chosen', message: expect.any(String), facts: { fps: 40, average_fps: 10.5 } },
  ]);
});

test('each rate below that of the template has one decision with its streams', () => {
  const at144 = { averageFrameRate: { num: 144, den: 1 } };
  const entries = [rung('v', 720, 30), rung('w', 360, 30), rung('x', 240, 24), rung('y', 1080)];
  expect(decisionsFor(at144, entries)).toEqual(
    [
      { fps: 48, limit_fps: 60, streams: ['y'] },
      { fps: 28.8, limit_fps: 30, streams: ['v', 'w'] },
    ].map((facts) => ({
      code: 'frame_rate_capped',
      message: expect.stringContaining('one of every'),
      facts: { source_fps: 144, ...facts },
    })),
  );
});
