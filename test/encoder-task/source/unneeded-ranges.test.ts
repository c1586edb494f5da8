import { expect, test } from 'vitest';
import type { Movie } from '../../../encoder-task/isobmff/movie.ts';
import { unneededRanges } from '../../../encoder-task/source/unneeded-ranges.ts';

const soundBytes = 300;

/** A movie in which each frame of this size is followed by a little audio. */
function interleaved(frameBytes: number, frames = 200): Movie {
  const track = (kind: 'video' | 'audio', offset: number, bytes: number) => ({
    kind,
    samples: {
      length: frames,
      positions: Array.from({ length: frames }, (_, n) => n * (frameBytes + soundBytes) + offset),
      bytes: Array(frames).fill(bytes),
      flags: Array(frames).fill(0),
    },
  });
  const tracks = [track('video', 0, frameBytes), track('audio', frameBytes, soundBytes)];
  return { tracks, file: { totalBytes: frames * (frameBytes + soundBytes) } } as unknown as Movie;
}

const audio = { streamIndexes: [1], keyFramesOnly: false };

test.each([
  { frameBytes: 300_000, skippedFar: 176, skippedNear: 176 },
  { frameBytes: 30_000, skippedFar: 176, skippedNear: 0 },
  { frameBytes: 4_000, skippedFar: 0, skippedNear: 0 },
])('a store in the same network is read across short ranges: frames of $frameBytes bytes', (expected) => {
  const movie = interleaved(expected.frameBytes);
  expect(unneededRanges(movie, audio)).toHaveLength(expected.skippedFar);
  expect(unneededRanges(movie, audio, { isNearStore: true })).toHaveLength(expected.skippedNear);
});
