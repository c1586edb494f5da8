import { expect, test } from 'vitest';
import { averageBandwidth, peakBandwidth } from '../../../functions/job-results/packaged-track.ts';
import { videoTrack } from './track-fixture.ts';

const withSegments = (segments: [bytes: number, seconds: number][]) =>
  videoTrack({
    timescale: 1000,
    segments: segments.map(([bytes, seconds], index) => ({
      path: `${index}.m4s`,
      bytes,
      startTicks: 0,
      durationTicks: seconds * 1000,
    })),
  });

test('the average bandwidth is all bits divided by the duration', () => {
  expect(
    averageBandwidth(
      withSegments([
        [1000, 2],
        [500, 1],
      ]),
    ),
  ).toBe(4000);
});

test('the peak bandwidth is that of the segment with the highest bit rate', () => {
  expect(
    peakBandwidth(
      withSegments([
        [6000, 6],
        [9000, 6],
        [3000, 6],
      ]),
    ),
  ).toBe(12_000);
});

test('a short last segment counts together with the segment before it', () => {
  // Alone it would have 80,000 bit/s.
  expect(
    peakBandwidth(
      withSegments([
        [6000, 6],
        [6000, 6],
        [1000, 0.1],
      ]),
    ),
  ).toBe(Math.ceil(56_000 / 6.1));
});

test('the peak bandwidth of a single short segment is its own', () => {
  expect(peakBandwidth(withSegments([[1000, 0.2]]))).toBe(40_000);
});
