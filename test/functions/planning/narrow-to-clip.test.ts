import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { narrowToClip, type ProbedSource } from '../../../functions/planning/narrow-to-clip.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { AudioTrack, FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from './source-fixture.ts';

const query = templateQuerySchema.parse({
  video: [{ name: 'v', codec: 'h264', height: 360, bitrate: '800k' }],
  audio: [{ name: 'a', codec: 'aac' }],
  outputs: [{ format: 'hls' }],
  copy: 'auto',
  thumbnails: { poster: {}, sprite: { interval: 1 } },
});

/** A minute of 30 frames a second, with a key frame every two seconds. */
const track = videoTrack({ frameCount: 1800 });
const source: ProbedSource = { probe: probeOf({ video: track, audio: [audioTrack()] }), frames: evenIndex(track) };
const ticks = 15_360;
const frameTicks = ticks / 30;

test('a clip is the frames from the one that is shown at its start, and the sound beside them', () => {
  const { probe, frames } = narrowToClip(source, { startSeconds: 11.05, endSeconds: 20 });
  expect(probe.video).toMatchObject({ startPts: 331 * frameTicks, endPts: 20 * ticks, frameCount: 269 });
  expect(probe.audio).toEqual([{ ...audioTrack(), startSeconds: 331 / 30, durationSeconds: 269 / 30 }]);
  expect(probe.durationSeconds).toBeCloseTo(269 / 30, 9);
  expect(frames).toMatchObject({
    keyFrames: [29, 89, 149, 209],
    before: { firstPts: 0, keyPts: 10 * ticks, keyTicks: frameTicks, cutPts: 330.5 * frameTicks },
    after: { cutPts: 599.5 * frameTicks, reachBytes: 601_000 },
  });
  expect(frames?.ptsDeltas.slice(0, 2)).toEqual([331 * frameTicks, frameTicks]);
  expect(frames?.endByteDeltas.slice(0, 2)).toEqual([332_000, 1000]);
  expect([frames?.ptsDeltas.length, frames?.endByteDeltas.length]).toEqual([269, 269]);
  expect(probe.part).toEqual({
    startSeconds: expect.closeTo(330.5 / 30, 9),
    endSeconds: expect.closeTo(599.5 / 30, 9),
    firstFrame: 331,
    soundFromSeconds: 331 / 30 - 1,
  });
});

test('times that are rounded to milliseconds mean the frame that begins then', () => {
  const framesOf = (startSeconds: number, endSeconds: number) => {
    const { probe } = narrowToClip(source, { startSeconds, endSeconds });
    return [probe.part?.firstFrame, probe.video?.frameCount];
  };
  expect(framesOf(0.033, 0.067)).toEqual([1, 1]);
  expect(framesOf(0.0345, 0.1)).toEqual([1, 2]);
  expect(framesOf(0.0325, 0.1009)).toEqual([0, 4]);
});

test('the first chunk decodes from the key frame before, and the last one ends between two frames', () => {
  const narrowed = narrowToClip(source, { startSeconds: 11.05, endSeconds: 20 });
  const { groups, originSeconds, durationSeconds } = planVideo({ ...narrowed, query, capacity: 1 });
  const chunks = groups.flatMap((group) => group.chunks);
  expect(chunks[0]).toMatchObject({ startFrame: 0, startPts: 330.5 * frameTicks });
  expect(chunks[0]?.seekSeconds).toBeGreaterThan(10);
  expect(chunks[0]?.seekSeconds).toBeLessThan(10 + 1 / 30);
  expect(chunks.at(-1)).toMatchObject({ endFrame: 269, endPts: 599.5 * frameTicks, untilByte: 601_000 });
  expect([originSeconds, durationSeconds]).toEqual([331 / 30, expect.closeTo(269 / 30, 6)]);
});

test('a clip of all of a source has the plan of the source', () => {
  const { part: _, source: __, thumbnails: ___, ...plan } = planVideo({ ...source, query, capacity: 1 });
  for (const clip of [{ startSeconds: 0 }, { endSeconds: 60 }, { startSeconds: 0, endSeconds: 1000 }]) {
    const clipped = planVideo({ ...narrowToClip(source, clip), query, capacity: 1 });
    expect(clipped).toMatchObject(plan);
  }
});

test.each([
  ['after the end', { startSeconds: 60 }],
  ['far after the end', { startSeconds: 100, endSeconds: 200 }],
  ['that is shorter than a frame', { startSeconds: 1, endSeconds: 1.03 }],
])('a clip %s is empty', (_, clip) => {
  expect(() => narrowToClip(source, clip)).toThrow(expect.objectContaining({ code: 'INPUT_CLIP_EMPTY', fatal: true }));
});

test('clip times count from the first sound where that is before the first picture', () => {
  const late = videoTrack({ frameCount: 300, startPts: 2 * ticks });
  const both = { probe: probeOf({ video: late, audio: [audioTrack({ startSeconds: 1 })] }), frames: evenIndex(late) };
  const before = narrowToClip(both, { startSeconds: 0.4, endSeconds: 3 }).probe;
  expect(before.audio[0]).toMatchObject({ startSeconds: 1.4 });
  expect(before.video).toMatchObject({ startPts: 2 * ticks, frameCount: 60 });
  expect(before.part?.soundFromSeconds).toBeNull();
  expect(narrowToClip(both, { startSeconds: 2.5, endSeconds: 3 }).probe.audio[0]).toMatchObject({ startSeconds: 3.5 });
});

test('a track without sound in the clip is left out', () => {
  const languages = [audioTrack({ durationSeconds: 5 }), audioTrack({ streamIndex: 2, startSeconds: 30 })];
  const { audio } = narrowToClip(
    { ...source, probe: { ...source.probe, audio: languages } },
    { startSeconds: 35 },
  ).probe;
  expect(audio.map(({ streamIndex }) => streamIndex)).toEqual([2]);
});

describe('a copy', () => {
  const copyable = (starts: number[]): ProbedSource => ({
    probe: probeOf({ video: { ...track, copy: { profile: 'high', level: 4 } }, audio: [] }),
    frames: { ...evenIndex(track), copy: { frameBytes: Array(1800).fill(1000), starts } },
  });
  const large = { ...query, audio: [], video: [{ ...query.video[0]!, height: 1080, bitrate: '8M' }] };
  const isCopied = (clip: Parameters<typeof narrowToClip>[1]) => {
    const starts = Array.from({ length: 30 }, (_, n) => 60 * n);
    const plan = planVideo({ ...narrowToClip(copyable(starts), clip), query: large, capacity: 1 });
    return { copied: plan.groups[0]?.rungs[0]?.copied ?? false, warnings: plan.warnings.join() };
  };
  test('is made of a clip between key frames, and to the end', () => {
    expect(isCopied({ startSeconds: 12, endSeconds: 24 })).toEqual({ copied: true, warnings: '' });
    expect(isCopied({ startSeconds: 48 })).toEqual({ copied: true, warnings: '' });
  });
  test.each([
    ['begins', { startSeconds: 12.1, endSeconds: 24 }],
    ['ends', { startSeconds: 12, endSeconds: 24.1 }],
  ])('is not made of one that %s between key frames', (_, clip) => {
    expect(isCopied(clip)).toEqual({
      copied: false,
      warnings: 'v is encoded, not copied: the clip does not begin and end at key frames of the source.',
    });
  });
});

/** A source whose frames are at any times, and a clip of it. */
const anySource = fc
  .record({
    deltas: fc.array(
      fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 80 }) }, fc.integer({ min: 81, max: 4000 })),
      {
        minLength: 1,
        maxLength: 120,
      },
    ),
    isConstant: fc.boolean(),
    startMs: fc.integer({ min: -3000, max: 3000 }),
    keyEvery: fc.integer({ min: 1, max: 40 }),
    soundStartMs: fc.integer({ min: -3000, max: 5000 }),
    soundMs: fc.integer({ min: 1, max: 9000 }),
    hasSound: fc.boolean(),
    clip: fc.tuple(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 100, max: 6000 })),
  })
  .map(({ deltas, isConstant, startMs, keyEvery, soundStartMs, soundMs, hasSound, clip }) => {
    const frameMs = isConstant ? deltas.map(() => 40) : deltas;
    const lasts = frameMs.reduce((sum, ms) => sum + ms, 0);
    const rate = { num: 1000 * frameMs.length, den: lasts };
    const video: VideoTrack = videoTrack({
      frameCount: frameMs.length,
      timeBase: { num: 1, den: 1000 },
      startPts: startMs,
      endPts: startMs + lasts,
      averageFrameRate: rate,
      constantFrameRate: isConstant,
      ...(!isConstant && { gridFrameRate: { num: 30, den: 1 } }),
    });
    const frames: FrameIndex = {
      ptsDeltas: frameMs.map((_, n) => (n === 0 ? startMs : frameMs[n - 1]!)),
      keyFrames: frameMs.flatMap((_, n) => (n % keyEvery === 0 ? [n] : [])),
      endByteDeltas: frameMs.map(() => 100),
    };
    const audio: AudioTrack[] = hasSound
      ? [audioTrack({ startSeconds: soundStartMs / 1000, durationSeconds: soundMs / 1000 })]
      : [];
    const [start, seconds] = clip;
    return {
      probed: { probe: probeOf({ video, audio }), frames },
      clip: { startSeconds: start / 1000, endSeconds: (start + seconds) / 1000 },
    };
  });

const timesOf = ({ ptsDeltas }: FrameIndex): number[] => {
  let pts = 0;
  return ptsDeltas.map((delta) => (pts += delta));
};

test('of any source, a clip begins with the frame that is shown at its start and ends with the last one before its end', () => {
  fc.assert(
    fc.property(anySource, ({ probed, clip }) => {
      const { video, audio } = probed.probe;
      let narrowed: ProbedSource;
      try {
        narrowed = narrowToClip(probed, clip);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INPUT_CLIP_EMPTY' });
        return;
      }
      const all = timesOf(probed.frames!);
      const originMs = Math.min(video!.startPts, ...audio.map(({ startSeconds }) => startSeconds * 1000));
      const [startMs, endMs] = [originMs + clip.startSeconds * 1000, originMs + clip.endSeconds * 1000];
      const first = Math.max(
        0,
        all.findLastIndex((pts) => pts <= startMs + 0.6),
      );
      const ends = all.findIndex((pts) => pts >= endMs - 0.6);
      const after = Math.max(first + 1, ends === -1 ? all.length : ends);
      const { probe, frames } = narrowed;
      expect(timesOf(frames!)).toEqual(all.slice(first, after));
      expect(probe.part?.firstFrame).toBe(first);
      expect(frames!.keyFrames).toEqual(
        probed.frames!.keyFrames.filter((key) => key >= first && key < after).map((key) => key - first),
      );
      // Sound and pictures begin at the same time where both are there.
      const { startPts, endPts } = probe.video!;
      expect(endPts).toBeGreaterThan(startPts);
      for (const { startSeconds, durationSeconds } of probe.audio) {
        expect(startSeconds * 1000).toBeGreaterThanOrEqual(Math.min(startPts, startMs) - 1);
        expect((startSeconds + durationSeconds) * 1000).toBeLessThanOrEqual(Math.max(endPts, endMs) + 1);
      }
      const plan = planVideo({ ...narrowed, query: { ...query, copy: 'off' }, capacity: 1 });
      const chunks = plan.groups.flatMap((group) => group.chunks);
      const seek = chunks[0]!.seekSeconds;
      const key = probed.frames!.keyFrames.findLast((one) => one <= first) ?? 0;
      if (seek !== null) {
        // The demuxer goes to the last key frame before it.
        expect(seek * 1000).toBeGreaterThanOrEqual(all[key]!);
        expect(seek * 1000).toBeLessThan(all[key + 1] ?? Number.POSITIVE_INFINITY);
      }
      expect(chunks[0]!.startFrame).toBe(0);
      for (const [n, chunk] of chunks.entries()) expect(chunk.startFrame).toBe(chunks[n - 1]?.endFrame ?? 0);
      expect(plan.durationSeconds).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
