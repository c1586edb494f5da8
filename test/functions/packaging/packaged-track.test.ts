import { expect, test } from 'vitest';
import { averageBandwidth, peakBandwidth } from '../../../functions/packaging/packaged-track.ts';
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

test('the average is all bits by all seconds', () => {
  expect(
    averageBandwidth(
      withSegments([
        [1000, 2],
        [500, 1],
      ]),
    ),
  ).toBe(4000);
});

test('the peak is the costliest segment', () => {
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

test('a stub at the end counts with the segment before it, not alone', () => {
  // Alone the stub would be 80,000 bit/s.
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

test('a single short segment is its own peak', () => {
  expect(peakBandwidth(withSegments([[1000, 0.2]]))).toBe(40_000);
});
