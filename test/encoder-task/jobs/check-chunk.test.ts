import { expect, test } from 'vitest';
import type { TrackOnDisk } from '../../../encoder-task/isobmff/track-on-disk.ts';
import { checkChunkTrack } from '../../../encoder-task/jobs/check-chunk.ts';
import type { Chunk, FrameGrid } from '../../../shared/protocol/encode-spec.ts';

const grid: FrameGrid = {
  mode: 'passthrough',
  frameRate: { num: 25, den: 1 },
  timescale: 25_000,
  ticksPerFrame: 1000,
  startTicks: 500,
  sourceStartSeconds: 0,
  gopFrames: 2,
  segmentFrames: 4,
};
const chunk: Chunk = {
  index: 1,
  startFrame: 4,
  endFrame: 10,
  startPts: 0,
  endPts: 6,
  seekSeconds: null,
  untilByte: null,
};

/** Frames 4 to 9 in two segments, with reordered B-frames. */
function track(): TrackOnDisk {
  const sample = (frame: number, isSync = false) => ({
    compositionTicks: 500 + frame * 1000,
    durationTicks: 1000,
    bytes: 9,
    offset: 0,
    isSync,
  });
  return {
    name: 'v0',
    codecs: 'avc1.640028',
    timescale: 25_000,
    init: { file: 'v0/init.mp4', bytes: 1, sha256: '' },
    segments: [
      { file: 'v0/00001.m4s', bytes: 1, startTicks: 4500, durationTicks: 4000 },
      { file: 'v0/00002.m4s', bytes: 1, startTicks: 8500, durationTicks: 2000 },
    ],
    samplesBySegment: [
      [sample(4, true), sample(7), sample(5), sample(6)],
      [sample(8, true), sample(9)],
    ],
  };
}

const check = (change: (wrong: TrackOnDisk) => void) => () => {
  const wrong = track();
  change(wrong);
  checkChunkTrack(wrong, grid, chunk);
};

test('a track that matches the plan passes', () => {
  expect(check(() => undefined)).not.toThrow();
});

test.each<[string, (wrong: TrackOnDisk) => void]>([
  ['5 frames instead of 6', (wrong) => wrong.samplesBySegment[1]!.pop()],
  ['timescale 90000 instead of 25000', (wrong) => Object.assign(wrong, { timescale: 90_000 })],
  [
    '3 frames in v0/00001.m4s instead of 4',
    (wrong) => wrong.samplesBySegment[1]!.push(wrong.samplesBySegment[0]!.pop()!),
  ],
  [
    'v0/00002.m4s does not start with a key frame',
    (wrong) => Object.assign(wrong.samplesBySegment[1]![0]!, { isSync: false }),
  ],
  [
    'frame 9 of v0/00002.m4s is at 9501 ticks',
    (wrong) => Object.assign(wrong.samplesBySegment[1]![1]!, { compositionTicks: 9501 }),
  ],
  ['v0/00001.m4s decodes from 4499', (wrong) => Object.assign(wrong.segments[0]!, { startTicks: 4499 })],
  ['v0/00002.m4s lasts 2001 ticks', (wrong) => Object.assign(wrong.segments[1]!, { durationTicks: 2001 })],
])('%s does not', (message, change) => {
  expect(check(change)).toThrow(message);
});
