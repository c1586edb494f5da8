import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../functions/planning/encoding-plan.ts';
import { estimatedCpuSeconds } from '../../../../functions/planning/estimated-cpu-seconds.ts';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { plannedTracks } from '../../../../functions/planning/video/track-chunks.ts';
import { isUrgent } from '../../../../functions/queue/urgency/is-urgent.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from '../source-fixture.ts';

const ladder = { ladder: { codec: 'h264' }, audio: [{ name: 'stereo', codec: 'aac' }], outputs: [{ format: 'hls' }] };
const verySlow = 0.1;
const slow = 2;
const fast = 100;

/** Of filmed 1080p: its encodes take 1.8 times the estimate. */
const filmedBytes = 30_240;
const simpleBytes = 2000;

type More = {
  framesPerKeyFrame?: number;
  bytesOf?: (frame: number) => number;
  workers?: number;
  isColdStart?: boolean;
};

function plan(query: object, track: VideoTrack, capacity: number, more: More = {}): Plan {
  const { framesPerKeyFrame = 60, bytesOf = () => filmedBytes, workers = 1, isColdStart = false } = more;
  const probe = probeOf({
    video: track,
    audio: [audioTrack({ durationSeconds: track.frameCount / 30 })],
    sizeBytes: 1e9,
  });
  const index = evenIndex(track, framesPerKeyFrame);
  const frames = { ...index, endByteDeltas: index.endByteDeltas.map((_, frame) => bytesOf(frame)) };
  return planVideo({ probe, frames, query: templateQuerySchema.parse(query), capacity, workers, isColdStart });
}

const seconds = (count: number, more: Partial<VideoTrack> = {}) => videoTrack({ frameCount: 30 * count, ...more });

/** Phase, rungs and bounds of the chunks in segments, of each group. */
const shape = ({ groups }: Plan) =>
  groups.map(({ phase, rungs, chunks, grid }): [phase: number, names: string, bounds: number[]] => [
    phase,
    rungs.map(({ name }) => name).join(' '),
    [...chunks.map(({ startFrame }) => startFrame), chunks.at(-1)!.endFrame].map((frame) => frame / grid.segmentFrames),
  ]);

describe('a video that is encoded slower than it plays', () => {
  test('has its starter encoded as far as playback needs, then the rest, then the other rungs of the beginning', () => {
    const planned = plan(ladder, seconds(600), slow);
    expect(planned.starter).toEqual({ rung: '360p' });
    expect(shape(planned).map(([phase, names, bounds]) => [phase, names, [bounds.at(0), bounds.at(-1)]])).toEqual([
      [0, '360p', [0, 62]],
      [1, '1080p 720p 480p 360p 240p', [62, 100]],
      [2, '1080p 720p 480p 240p', [0, 62]],
    ]);
    expect(shape(planned)[0]![2].slice(0, 5)).toEqual([0, 1, 3, 7, 12]);
  });

  test('has it encoded over the whole length when even that is slow', () => {
    expect(shape(plan(ladder, seconds(150), verySlow))).toEqual([
      [0, '360p', [0, 1, 3, 7, 12, 16, 21, 25]],
      [1, '1080p 720p 480p 240p', [0, 5, 10, 15, 20, 25]],
    ]);
  });

  test('has less of it encoded ahead when the source has few bits, and more when it has many', () => {
    const aheadFor = (bytes: number) => shape(plan(ladder, seconds(600), slow, { bytesOf: () => bytes }))[0]![2].at(-1);
    expect([simpleBytes, 20_000, filmedBytes, 70_000, 900_000].map(aheadFor)).toEqual([32, 54, 62, 80, 81]);
  });

  test('of a few hard minutes among simple ones has it encoded until playback can wait for these', () => {
    const aheadFor = (from: number, to: number) => {
      const isHard = (frame: number) => frame >= 30 * 60 * from && frame < 30 * 60 * to;
      const bytesOf = (frame: number) => (isHard(frame) ? 70_000 : simpleBytes);
      return shape(plan(ladder, seconds(1200), slow, { bytesOf }))[0]![2].at(-1)! / 10;
    };
    expect([aheadFor(0, 5), aheadFor(8, 13), aheadFor(15, 20)]).toEqual([7.2, 10.6, 14.1]);
  });

  test.each([1, 2, 3])('with %d cores reaches each second before a viewer who starts at once', (capacity) => {
    const durationSeconds = 3600;
    const [hard, simple] = [1.8, 1.15];
    const isHard = (frame: number) => Math.floor(frame / (30 * 400)) % 2 === 1;
    const bytesOf = (frame: number) => (isHard(frame) ? filmedBytes : simpleBytes);
    const { groups } = plan(ladder, seconds(durationSeconds), capacity, { bytesOf });
    let encodedSeconds = 0;
    for (const { grid, rungs, chunks } of groups.slice(0, 2)) {
      for (const chunk of chunks) {
        const factor = isHard(chunk.startFrame) || isHard(chunk.endFrame) ? hard : simple;
        // without the start of the jobs
        encodedSeconds += (factor * (estimatedCpuSeconds(chunk, grid, rungs) - 1)) / capacity;
        expect(encodedSeconds).toBeLessThan(chunk.endFrame / 30);
      }
    }
    expect(groups[1]!.chunks.at(-1)!.endFrame).toBe(30 * durationSeconds);
  });
});

test('a constant quality without a maximum bitrate is expected to be slow, since its bits are not known', () => {
  const rungs = (more: object) => [
    { name: 'v360', codec: 'h264', height: 360, bitrate: '400k', preset: 'ultrafast' },
    { name: 'v240', codec: 'h264', height: 240, crf: 18, preset: 'slower', ...more },
  ];
  const outputs = [{ format: 'hls', segment_duration: 4 }];
  const orderOf = (more: object) =>
    shape(plan({ video: rungs(more), outputs }, seconds(90, { width: 640, height: 360 }), 2, { workers: 2 })).map(
      ([phase, names]) => [phase, names],
    );
  expect(orderOf({})).toEqual([
    [0, 'v360'],
    [1, 'v360 v240'],
    [2, 'v240'],
  ]);
  expect(orderOf({ bitrate: '400k' })).toEqual([
    [0, 'v360'],
    [1, 'v240'],
    [2, 'v360 v240'],
  ]);
});

describe('a video that is encoded faster than it plays', () => {
  test('by workers that are each slower has short chunks where playback would catch up with longer ones', () => {
    const segmentSeconds = 6;
    const boundsFor = (capacity: number) => shape(plan(ladder, seconds(3600), capacity, { workers: 8 }))[2]![2];
    // Eight nodes of a core each, which are expected to encode a quarter of a second in a second.
    const bounds = boundsFor(8);
    expect(bounds.slice(0, 8)).toEqual([7, 9, 11, 13, 16, 20, 25, 30]);
    expect(boundsFor(80).slice(0, 3)).toEqual([3, 8, 13]);
    for (const [n, end] of bounds.slice(1, 6).entries()) {
      const encodedAfterSeconds = ((end - bounds[n]!) * segmentSeconds) / 0.25;
      expect(encodedAfterSeconds).toBeLessThan(end * segmentSeconds);
    }
  });

  test('has only the first segments of its starter encoded ahead', () => {
    expect(shape(plan(ladder, seconds(150), fast))).toEqual([
      [0, '360p', [0, 1, 3]],
      [1, '1080p 720p 480p 240p', [0, 3]],
      [2, '1080p 720p 480p 360p 240p', [3, 9, 14, 20, 25]],
    ]);
  });

  test('has as many of them encoded ahead, and decoded twice, as one worker needs for all rungs of what follows', () => {
    const aheadFor = (capacity: number) => shape(plan(ladder, seconds(600), capacity, { workers: 2 }))[0]![2].at(-1)!;
    expect([100, 5.5, 4.5].map(aheadFor)).toEqual([3, 4, 4]);
  });

  test('has no more of them encoded ahead when its segments are short', () => {
    const heights = [720, 360];
    const video = heights.map((height) => ({ name: `${height}p`, codec: 'h264', height, bitrate: '1M', gop: 1 }));
    const shapes = shape(plan({ video, outputs: [{ format: 'hls', segment_duration: 1 }] }, seconds(150), fast));
    expect(shapes.map(([phase, names, bounds]) => [phase, names, bounds.at(-1)])).toEqual([
      [0, '360p', 7],
      [1, '720p', 7],
      [2, '720p 360p', 150],
    ]);
  });

  test('has shorter chunks towards the end when each worker gets few', () => {
    const shapeFor = (workers: number) => {
      const track = seconds(3600);
      const probe = probeOf({ video: track, sizeBytes: 1e9 });
      const query = templateQuerySchema.parse(ladder);
      return shape(planVideo({ probe, frames: evenIndex(track), query, capacity: 4 * workers, workers }));
    };
    const bounds = shapeFor(100)[2]![2];
    const lengths = bounds.slice(1).map((bound, n) => bound - bounds[n]!);
    expect([4, 2, 1].map((segments) => lengths.filter((length) => length === segments).length)).toEqual([85, 85, 87]);
    expect(lengths.toSorted((x, y) => y - x)).toEqual(lengths);
    for (const workers of [2, 20, 500]) expect(shapeFor(workers).at(-1)![2]).toHaveLength(120);
  });

  test.each([6, 18, 32])('and lasts %i s has no third phase', (length) => {
    const shapes = shape(plan(ladder, seconds(length), fast));
    expect(shapes.map(([phase, names]) => [phase, names])).toEqual([
      [0, '360p'],
      [1, '1080p 720p 480p 240p'],
    ]);
  });
});

describe('a video that only the early worker encodes at first', () => {
  const cold = (length: number, capacity: number) => plan(ladder, seconds(length), capacity, { isColdStart: true });

  test('has two minutes of its starter encoded ahead, urgently, by chunks that start short', () => {
    const planned = cold(600, fast);
    expect(shape(planned).map(([phase, names, bounds]) => [phase, names, bounds.slice(0, 8)])).toEqual([
      [0, '360p', [0, 1, 3, 7, 11, 16, 20]],
      [1, '1080p 720p 480p 240p', [0, 4, 8, 12, 16, 20]],
      [2, '1080p 720p 480p 360p 240p', [20, 25, 30, 35, 40, 45, 50, 55]],
    ]);
    expect(urgentChunks(planned)).toEqual([6, 0, 0]);
    expect(urgentChunks(plan(ladder, seconds(600), fast))).toEqual([2, 0, 0]);
  });

  test('has no more of it encoded ahead when that is less than playback needs, but the first two minutes are urgent', () => {
    expect(shape(cold(600, slow))).toEqual(shape(plan(ladder, seconds(600), slow)));
    const [starter] = cold(600, slow).groups;
    const urgent = starter!.chunks.filter(({ index }) => isUrgent(jobOf(0, index), cold(600, slow)));
    expect(urgent.at(-1)!.endFrame / starter!.grid.segmentFrames).toBeGreaterThanOrEqual(20);
  });

  const jobOf = (group: number, index: number) => ({ kind: 'encode-video' as const, group, index });
  const urgentChunks = (planned: Plan): number[] =>
    planned.groups.map(
      ({ index: group, chunks }) => chunks.filter(({ index }) => isUrgent(jobOf(group, index), planned)).length,
    );
});

test.each([
  [7, [0, 7 / 6]],
  [12, [0, 1, 2]],
  [18, [0, 1, 3]],
  [40, [0, 1, 3, 40 / 6]],
  [48, [0, 1, 3, 7, 8]],
])('the starter of %i s ends without a chunk of less than a segment', (length, bounds) => {
  expect(shape(plan(ladder, seconds(length), verySlow))[0]?.[2]).toEqual(bounds);
});

test('a single rung is one group that starts with short chunks', () => {
  const query = { video: [{ name: 'v', codec: 'h264', height: 720, bitrate: '2M' }], outputs: [{ format: 'hls' }] };
  for (const capacity of [slow, fast]) {
    expect(shape(plan(query, seconds(150), capacity))).toEqual([[0, 'v', [0, 1, 3, 7, 12, 16, 21, 25]]]);
  }
});

test('chunks of a template that are shorter than the first ones are not made longer', () => {
  expect(shape(plan({ ...ladder, chunk_duration: 12 }, seconds(60), verySlow))[0]).toEqual([
    0,
    '360p',
    [0, 1, 3, 5, 6, 8, 10],
  ]);
});

test('the starter is the largest rung of at most 360p in any orientation, else the smallest', () => {
  const starterOf = (track: VideoTrack, more: object = {}) => plan({ ...ladder, ...more }, track, slow).starter;
  expect(starterOf(seconds(60))).toEqual({ rung: '360p' });
  expect(starterOf(seconds(60, { width: 1080, height: 1920 }))).toEqual({ rung: '360p' });
  expect(starterOf(seconds(60), { ladder: { codec: 'h264', min_height: 480 } })).toEqual({ rung: '480p' });
});

test('without HLS segments in fMP4 there is no starter and one group of full chunks', () => {
  const { audio } = ladder;
  const outputs = [
    [{ format: 'dash' }],
    [{ format: 'mp4' }],
    [{ format: 'hls', container: 'ts' }],
    [{ format: 'dash' }, { format: 'hls', video: [] }],
  ];
  for (const one of outputs) {
    const planned = plan({ ladder: { codec: 'h264' }, audio, outputs: one }, seconds(150), slow);
    expect(planned.starter).toBeNull();
    expect(planned.groups.map(({ phase }) => phase)).toEqual([1]);
    expect(shape(planned)[0]?.[2]).toEqual([0, 5, 10, 15, 20, 25]);
  }
});

test('the starter belongs to the first HLS output; rungs of other grids are encoded last', () => {
  const query = { ...ladder, outputs: [{ format: 'dash', segment_duration: 4 }, { format: 'hls' }] };
  const planned = plan(query, seconds(150), fast);
  expect(planned.starter).toEqual({ rung: '360p-6s' });
  expect(planned.groups.map(({ phase, rungs }) => [phase, rungs.length, rungs[0]?.name])).toEqual([
    [0, 1, '360p-6s'],
    [1, 4, '1080p-6s'],
    [2, 5, '1080p'],
    [2, 5, '1080p-6s'],
  ]);
});

describe('where groups meet', () => {
  const rates = [
    { num: 30, den: 1 },
    { num: 24_000, den: 1001 },
    { num: 30_000, den: 1001 },
  ];
  test.each(rates)('$num/$den fps: one starts where the other ends, in frames, ticks and bytes', (averageFrameRate) => {
    const track = videoTrack({ frameCount: 4000, averageFrameRate, timeBase: { num: 1, den: 90_000 }, startPts: 9000 });
    for (const source of [track, { ...track, constantFrameRate: false }]) {
      const [first, second, last] = plan(ladder, source, fast).groups;
      const lastAlone = first!.chunks.at(-1)!;
      expect(second!.chunks.at(-1)).toMatchObject({ endFrame: lastAlone.endFrame, endPts: lastAlone.endPts });
      expect(last!.chunks[0]).toMatchObject({ startFrame: lastAlone.endFrame, startPts: lastAlone.endPts });
      expect(last!.chunks[0]!.seekSeconds).toBeGreaterThan(0);
      expect(lastAlone.untilByte).toBe(second!.chunks.at(-1)!.untilByte);
      expect([lastAlone.untilByte !== null, last!.chunks.at(-1)!.untilByte]).toEqual([true, null]);
      expect(last!.grid).toEqual(first!.grid);
    }
  });

  test('a group that starts far behind a key frame decodes from there', () => {
    const { groups } = plan(ladder, seconds(150), fast, { framesPerKeyFrame: 30 * 1000 });
    expect(groups[2]!.chunks[0]).toMatchObject({ startFrame: 18 * 30, seekSeconds: expect.closeTo(0, 1) });
  });
});

test('each frame of each rung is encoded once, in whole segments, whatever the source', () => {
  const sources = fc.record({
    frameCount: fc.integer({ min: 1, max: 6000 }),
    rate: fc.constantFrom([24_000, 1001], [25, 1], [30_000, 1001], [60, 1]),
    isConstant: fc.boolean(),
    framesPerKeyFrame: fc.constantFrom(30, 60, 900, 10_000),
    capacity: fc.constantFrom(verySlow, slow, fast),
    workers: fc.constantFrom(1, 10),
    isColdStart: fc.boolean(),
    segments: fc.constantFrom([6], [6, 4], [2, 6]),
    chunk_duration: fc.constantFrom(4, 12, 30, 120),
    fps: fc.constantFrom(30, 60),
  });
  fc.assert(
    fc.property(
      sources,
      ({ frameCount, rate, isConstant, framesPerKeyFrame, capacity, workers, isColdStart, segments, ...template }) => {
        const [num = 25, den = 1] = rate;
        const averageFrameRate = { num, den };
        const timeBase = { num: 1, den: 90_000 };
        const track = videoTrack({ frameCount, averageFrameRate, timeBase, constantFrameRate: isConstant });
        const query = {
          video: [
            { name: 'large', codec: 'h264', height: 720, bitrate: '2M' },
            { name: 'small', codec: 'h264', height: 360, bitrate: '500k' },
            { name: 'other', codec: 'h264', height: 240, bitrate: '200k', fps: template.fps },
          ],
          outputs: segments.map((segment_duration) => ({ format: 'hls', segment_duration })),
          chunk_duration: template.chunk_duration,
        };
        const planned = plan(query, track, capacity, { framesPerKeyFrame, workers, isColdStart });
        expect(planned.groups.map(({ index }) => index)).toEqual(planned.groups.keys().toArray());
        const tracks = plannedTracks(planned);
        expect(tracks).toHaveLength(planned.streams.filter(({ type }) => type === 'video').length);
        const lengths = new Map<object, { frames: number; segmentFrames: number }[]>();
        for (const { grid, chunks } of tracks) {
          let next = 0;
          for (const { chunk } of chunks) {
            expect(chunk.startFrame).toBe(next);
            expect(chunk.startFrame % grid.segmentFrames).toBe(0);
            expect(chunk.endFrame).toBeGreaterThan(chunk.startFrame);
            expect(chunk.endPts).toBeGreaterThan(chunk.startPts);
            next = chunk.endFrame;
          }
          const { segmentFrames } = grid;
          lengths.set(grid.frameRate, [...(lengths.get(grid.frameRate) ?? []), { frames: next, segmentFrames }]);
        }
        for (const all of lengths.values()) {
          const shortest = Math.min(...all.map(({ frames }) => frames));
          // The last picture is held for a frame where the last segment would have two: see `heldFrames`.
          for (const { frames, segmentFrames } of all) {
            const isHeld = frames > shortest && shortest % segmentFrames === 2;
            expect(frames).toBe(isHeld ? shortest + 1 : shortest);
          }
        }
      },
    ),
    {
      numRuns: 60,
      examples: [
        [
          {
            frameCount: 422,
            rate: [30_000, 1001],
            isConstant: false,
            framesPerKeyFrame: 30,
            capacity: verySlow,
            workers: 1,
            isColdStart: false,
            segments: [2, 6],
            chunk_duration: 4,
            fps: 30,
          },
        ],
      ],
    },
  );
});
