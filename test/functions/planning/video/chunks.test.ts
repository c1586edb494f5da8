import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkFrames, planChunks } from '../../../../functions/planning/video/chunks.ts';
import { frameGrid, presentedFrames, timeFrames } from '../../../../functions/planning/video/frame-grid.ts';
import type { Chunk } from '../../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { evenIndex, videoTrack } from '../source-fixture.ts';

test('a 61 s source is two chunks without a short third one', () => {
  expect(chunkFrames({ frameCount: 1830, segmentFrames: 60, targetFrames: 900 })).toEqual([
    [0, 900],
    [900, 1830],
  ]);
});

test('60 s are two chunks that two workers can share, 20 s are one', () => {
  expect(chunkFrames({ frameCount: 1800, segmentFrames: 180, targetFrames: 900 })).toEqual([
    [0, 900],
    [900, 1800],
  ]);
  expect(chunkFrames({ frameCount: 600, segmentFrames: 180, targetFrames: 900 })).toEqual([[0, 600]]);
});

test('a target shorter than a segment is one segment', () => {
  expect(chunkFrames({ frameCount: 500, segmentFrames: 200, targetFrames: 120 })).toEqual([
    [0, 200],
    [200, 400],
    [400, 500],
  ]);
});

test('a video of more than 10,000 chunks is refused', () => {
  expect(() => chunkFrames({ frameCount: 10_001 * 120, segmentFrames: 60, targetFrames: 120 })).toThrow(
    expect.objectContaining({ code: 'INPUT_TOO_LARGE', fatal: true }),
  );
});

test('chunks cover all frames once, in whole segments of about equal size', () => {
  const lengths = fc.record({
    frameCount: fc.integer({ min: 1, max: 2_000_000 }),
    segmentFrames: fc.integer({ min: 1, max: 2400 }),
    targetFrames: fc.integer({ min: 240, max: 36_000 }),
  });
  fc.assert(
    fc.property(lengths, ({ frameCount, segmentFrames, targetFrames }) => {
      const chunks = chunkFrames({ frameCount, segmentFrames, targetFrames });
      expect(chunks[0]?.[0]).toBe(0);
      expect(chunks.at(-1)?.[1]).toBe(frameCount);
      const target = segmentFrames * Math.ceil(targetFrames / segmentFrames);
      for (const [index, [start, end]] of chunks.entries()) {
        expect(end).toBeGreaterThan(start);
        expect(start % segmentFrames).toBe(0);
        expect(chunks[index + 1]?.[0] ?? end).toBe(end);
        expect(end - start).toBeLessThanOrEqual(1.5 * target + segmentFrames);
      }
    }),
    { numRuns: 300 },
  );
});

const planned = (track: VideoTrack, frames: FrameIndex, formatName: string) => {
  const timing = timeFrames(track, track.averageFrameRate, false);
  const grid = frameGrid(timing, { originSeconds: 0, gopSeconds: 2, segmentSeconds: 6 });
  const { frameCount, pictures } = timing;
  return planChunks({ track, frames, formatName }, grid, {
    frameCount,
    pictures,
    startFrame: 0,
    endFrame: frameCount,
    targetChunkSeconds: 30,
  });
};

test('passthrough chunks start at source frames and decode from the key frame before', () => {
  const track = videoTrack({
    frameCount: 1800,
    averageFrameRate: { num: 30000, den: 1001 },
    timeBase: { num: 1, den: 90000 },
    startPts: 9000,
  });
  // Halfway between the frames at 2,708,697 and 2,711,700.
  const cutPts = 2_710_199;
  const [first, second] = planned(track, evenIndex(track, 250), 'mov,mp4,m4a,3gp,3g2,mj2');
  expect(first).toEqual({
    index: 0,
    startFrame: 0,
    endFrame: 900,
    startPts: 9000,
    endPts: cutPts,
    seekSeconds: null,
    // with the first frame of the next one
    untilByte: 901_000,
  });
  // Frame 750 is the last key frame before frame 900.
  const cut = { startFrame: 900, endFrame: 1800, startPts: cutPts, endPts: track.endPts };
  expect(second).toMatchObject({ ...cut, untilByte: null });
  expect(second?.seekSeconds).toBeCloseTo(0.1 + 750.25 * (1001 / 30000), 9);
});

test('without an index, seeking goes ten seconds before the key frame, or to the beginning', () => {
  const track = videoTrack({ frameCount: 2700 });
  const seeks = (framesPerKeyFrame: number) =>
    planned(track, evenIndex(track, framesPerKeyFrame), 'mpegts').map(({ seekSeconds }) => seekSeconds);
  expect(seeks(60)).toEqual([null, 20, 50]);
  expect(seeks(450)).toEqual([null, 20, 50]);
});

test('chunks with a distant key frame are merged', () => {
  const track = videoTrack({ frameCount: 30 * 600 });
  const chunks = planned(track, evenIndex(track, 30 * 240), 'matroska,webm');
  // at most four are merged, which bounds the time of a job; the third and the fifth start at key frames after 240 s
  // and 480 s
  expect(chunks.map(({ startFrame }) => startFrame / 30)).toEqual([0, 120, 240, 360, 480, 600].slice(0, -1));
  expect(chunks.at(-1)?.endFrame).toBe(30 * 600);
});

test('chunks before the first key frame are decoded from the beginning', () => {
  const track = videoTrack({ frameCount: 2700 });
  const frames = { ...evenIndex(track, 450), keyFrames: [1000, 1750] };
  // the chunk at 30 s is merged into the first: it would have to decode as much
  expect(
    planned(track, frames, 'matroska,webm').map(({ startFrame, seekSeconds }) => [startFrame, seekSeconds]),
  ).toEqual([
    [0, null],
    [1800, expect.closeTo(1750.25 / 30, 2)],
  ]);
});

test('grid chunks decode from the key frame of the frame shown at their start', () => {
  // 30 frames a second for 20 s, one still until 45 s, then 30 a second again.
  const frame = 512;
  const track = videoTrack({
    frameCount: 1200,
    constantFrameRate: false,
    endPts: 65 * 15360,
    averageFrameRate: { num: 240, den: 13 },
  });
  const ptsDeltas = Array.from({ length: 1200 }, (_, index) =>
    index === 0 ? 0 : index === 600 ? 45 * 15360 - 599 * frame : frame,
  );
  const frames = { ptsDeltas, keyFrames: [0, 300, 580, 600, 900], endByteDeltas: Array(1200).fill(1000) };
  const [first, second, ...rest] = planned(track, frames, 'matroska,webm');
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ startFrame: 0, seekSeconds: null });
  expect(second?.startPts).toBe(Math.round(second!.startFrame * (13 / 240) * 15360));
  // The chunk starts during the still frame, which depends on the key frame 20 frames before it; the seek time is
  // before the next frame.
  expect(second?.seekSeconds).toBeCloseTo((580.25 * frame) / 15360, 9);
  expect(first?.endPts).toBe(second?.startPts);
});

describe('chunks of a track that is held', () => {
  /** 20 s of pictures in a presentation from 40 s before them to 45 s after. */
  const track = videoTrack({ frameCount: 600, startPts: 100 * 15360 });
  const held = (changes: Partial<VideoTrack> = {}, formatName = 'mov,mp4,m4a,3gp,3g2,mj2') => {
    const changed = { ...track, ...changes };
    const presentation = { originSeconds: 60, durationSeconds: 105 };
    const timing = presentedFrames(changed, { frameRate: { num: 30, den: 1 }, isCapped: false }, presentation);
    const grid = frameGrid(timing, { originSeconds: 60, gopSeconds: 2, segmentSeconds: 6 });
    const { frameCount, pictures } = timing;
    const source = { track: changed, frames: evenIndex(changed), formatName };
    return planChunks(source, grid, {
      frameCount,
      pictures,
      startFrame: 0,
      endFrame: frameCount,
      targetChunkSeconds: 30,
    });
  };

  test('say how many pictures they have, and how many frames are before these', () => {
    const chunks = held();
    const counts = chunks.map(({ startFrame, endFrame, pictures, heldBefore = 0 }) => [
      startFrame,
      endFrame,
      heldBefore,
      pictures ?? endFrame - startFrame,
    ]);
    expect(counts).toEqual([
      [0, 720, 720, 0],
      [720, 1620, 480, 420],
      [1620, 2340, 0, 180],
      [2340, 3150, 0, 0],
    ]);
  });

  test('have the source times that their frames would have', () => {
    const chunks = held();
    // The one within the pictures is cut halfway between two frames.
    expect(chunks.map(({ startPts }) => startPts / 15360)).toEqual([60, 84, 114 - 1 / 60, 138]);
    expect(chunks.slice(0, -1).map(({ endPts }) => endPts / 15360)).toEqual([84, 114 - 1 / 60, 138]);
  });

  test('decode no more than the last group of pictures for the last picture, and the start for the first', () => {
    const chunks = held();
    expect(chunks.map(({ seekSeconds }) => seekSeconds && Math.floor(seekSeconds))).toEqual([null, null, 114, 118]);
    // frames that cannot be decoded are before the first one that can
    expect(chunks.map(({ untilByte }) => untilByte)).toEqual([null, 421_000, 600_000, null]);
  });

  test('are the same ranges with a variable rate', () => {
    const ranges = (chunks: Chunk[]) => chunks.map(({ startFrame, endFrame }) => [startFrame, endFrame]);
    expect(ranges(held({ constantFrameRate: false }))).toEqual(ranges(held()));
  });
});

test('a track that is cut at both ends decodes only the frames between', () => {
  const track = videoTrack({ frameCount: 600 });
  const timing = presentedFrames(
    track,
    { frameRate: track.averageFrameRate, isCapped: false },
    { originSeconds: 5, durationSeconds: 10 },
  );
  const grid = frameGrid(timing, { originSeconds: 5, gopSeconds: 2, segmentSeconds: 6 });
  const { frameCount, pictures } = timing;
  const [chunk, ...others] = planChunks({ track, frames: evenIndex(track), formatName: 'matroska,webm' }, grid, {
    frameCount,
    pictures,
    startFrame: 0,
    endFrame: frameCount,
    targetChunkSeconds: 30,
  });
  expect(others).toEqual([]);
  expect(chunk).toMatchObject({ startFrame: 0, endFrame: 300, startPts: 5 * 15360 - 256, endPts: 15 * 15360 - 256 });
  expect(chunk).not.toHaveProperty('pictures');
});
