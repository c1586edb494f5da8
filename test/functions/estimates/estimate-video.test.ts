import { describe, expect, test } from 'vitest';
import type { AssumedSource } from '../../../functions/estimates/assumed-tracks.ts';
import { estimateVideo } from '../../../functions/estimates/estimate-video.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { presets } from '../../../functions/templates/presets.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from '../planning/source-fixture.ts';

const task = { cpuUnits: 4096, memoryMib: 8192, scratchGib: 50 };
const minute: AssumedSource = { width: 1920, height: 1080, fps: 30, durationSeconds: 60 };
const estimate = (query: object, source: Partial<AssumedSource> = {}) =>
  estimateVideo(templateQuerySchema.parse(query), { ...minute, ...source }, { task, hasSpeechModel: true });

/** The plan of a run for a file with these properties. */
function planOf(query: object, { width, height, fps, durationSeconds }: AssumedSource) {
  const rate = Number.isInteger(fps) ? { num: fps, den: 1 } : { num: Math.round(fps * 1001), den: 1001 };
  const video = videoTrack({
    width,
    height,
    averageFrameRate: rate,
    timeBase: { num: 1, den: 90_000 },
    frameCount: Math.round((durationSeconds * rate.num) / rate.den),
  });
  const probe = probeOf({ video, audio: [audioTrack({ language: 'und', durationSeconds })], sizeBytes: 1e9 });
  return planVideo({ probe, frames: evenIndex(video), query: templateQuerySchema.parse(query), capacity: 80 });
}

const v720 = { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' };
const v360 = { name: 'v360', codec: 'h264', height: 360, bitrate: '800k' };
const stereo = { name: 'stereo', codec: 'aac', bitrate: '128k' };

describe.each<[string, AssumedSource]>([
  ['1080p30', minute],
  ['portrait 720p at 59.94', { width: 720, height: 1280, fps: 59.94, durationSeconds: 75 }],
  ['2160p24', { width: 3840, height: 2160, fps: 24, durationSeconds: 100 }],
  ['480 × 270', { width: 480, height: 270, fps: 25, durationSeconds: 3 }],
])('for %s', (_, source) => {
  test.each(presets.map(({ slug, query }): [string, object] => [slug, query]))(
    'the estimate of %s has the renditions and outputs of the plan',
    (_slug, query) => {
      const plan = planOf(query, source);
      const { renditions, outputs } = estimate(query, source);
      expect(renditions.map(({ kind, name, width, height }) => ({ type: kind, name, width, height }))).toEqual(
        plan.streams.map(({ type, name, width, height }) => ({ type, name, width, height })),
      );
      expect(renditions.map(({ codec }) => codec)).toEqual(plan.streams.map(({ inputParams }) => inputParams.codec));
      expect(outputs.map(({ name, format, container }) => ({ name, format, container }))).toEqual(
        plan.outputs.map(({ name, format, container }) => ({ name, format, container })),
      );
      for (const { name, rate } of plan.groups.flatMap(({ rungs }) => rungs)) {
        const { bitrateBps } = renditions.find((rendition) => rendition.name === name)!;
        if (rate.mode === 'bitrate') expect(bitrateBps).toBe(rate.bitrateBps);
        else expect(bitrateBps).toBeLessThanOrEqual(rate.maxBitrateBps!);
      }
    },
  );
});

test('bytes are bitrate times duration; segments that HLS and DASH share are stored once, an MP4 in addition', () => {
  const segmented = { video: [v720, v360], audio: [stereo], outputs: [{ format: 'hls' }, { format: 'dash' }] };
  const [large, small, sound] = [21_000_000, 6_000_000, 960_000];
  const shared = estimate(segmented);
  expect(shared.renditions.map(({ bytes }) => bytes)).toEqual([large, small, sound]);
  expect(shared.outputs.map(({ bytes }) => bytes)).toEqual([large + small + sound, large + small + sound]);
  expect(shared.bytes).toBe(large + small + sound);
  const withFile = estimate({ ...segmented, outputs: [{ format: 'hls' }, { format: 'mp4', video: ['v360'] }] });
  expect(withFile.outputs[1]).toEqual({ name: 'mp4', format: 'mp4', container: 'mp4', bytes: small + sound });
  expect(withFile.bytes).toBe(large + 2 * small + 2 * sound);
});

test('each rung in MPEG-TS contains the audio', () => {
  const query = { video: [v720, v360], audio: [stereo], outputs: [{ format: 'hls', container: 'ts' }] };
  expect(estimate(query).outputs[0]!.bytes).toBe(21_000_000 + 6_000_000 + 2 * 960_000);
});

test('without a maximum, constant quality has the usual bitrate; six steps of H.264 halve it', () => {
  const bitrate = (codec: string, crf: number) =>
    estimate({ video: [{ name: 'v', codec, height: 1080, crf }], outputs: [{ format: 'hls' }] }).renditions[0]!
      .bitrateBps;
  expect([bitrate('h264', 23), bitrate('h264', 29), bitrate('av1', 32)]).toEqual([5_000_000, 2_500_000, 2_750_000]);
});

test('a ladder of constant quality has at most the bitrates of the same ladder without it', () => {
  const bitrates = (mode: string, codec: string) => {
    const query = { ladder: { codec, mode, max_bitrate: '1500k' }, outputs: [{ format: 'hls' }] };
    return estimate(query).renditions.map(({ name, bitrateBps }) => [name, bitrateBps]);
  };
  for (const codec of ['h264', 'vp9']) expect(bitrates('quality', codec)).toEqual(bitrates('bitrate', codec));
});

test('a source that a run would refuse is refused, with the reason', () => {
  const short = { video: [v360], outputs: [{ format: 'hls', segment_duration: 2 }] };
  expect(() => estimate(short, { durationSeconds: 12 * 3600 })).toThrow('longer than the 11 hours');
  expect(() =>
    estimate(
      { ...short, outputs: [{ format: 'hls', segment_duration: 4 }], chunk_duration: 4 },
      { durationSeconds: 41_000 },
    ),
  ).toThrow('10000 chunks');
  // The most frames that a source can have, with the longest segments: more than a plan with a frame index could cost.
  const long = { video: [v360], outputs: [{ format: 'hls', segment_duration: 20 }] };
  expect(estimate(long, { fps: 60, durationSeconds: 86_400 }).bytes).toBe(100_000 * 86_400);
});

test('costs grow with the duration and the codec, and the least is on Spot', () => {
  const [h264, hevc] = presets.filter(({ slug }) => ['hls-auto-1080p', 'hls-dash-hevc-4k'].includes(slug));
  const [short, long, slow] = [
    estimate(h264!.query),
    estimate(h264!.query, { durationSeconds: 6000 }),
    estimate(hevc!.query),
  ];
  for (const { dollars } of [short, long, slow]) expect(dollars.min).toBeLessThan(0.4 * dollars.max);
  // Some costs are those of a video, whatever its length.
  expect(long.dollars.max / short.dollars.max).toBeGreaterThan(70);
  expect(slow.dollars.max).toBeGreaterThan(short.dollars.max);
});

test('the least CPU time is that of a source that is copied, the most that of one that is encoded', () => {
  const query = { video: [{ ...v720, height: 1080, name: 'v1080' }, v360], outputs: [{ format: 'hls' }] };
  const [encoded, open] = [estimate(query), estimate({ ...query, copy: 'auto' })];
  expect(open.cpuSeconds.max).toBe(encoded.cpuSeconds.max);
  expect(open.cpuSeconds.min).toBeLessThan(encoded.cpuSeconds.min - 15);
  expect(open.dollars.min).toBeLessThan(encoded.dollars.min);
  expect(estimate({ ...query, copy: 'auto' }, { width: 2560, height: 1440 }).cpuSeconds).toEqual(
    estimate(query, { width: 2560, height: 1440 }).cpuSeconds,
  );
});

test('chosen tracks are estimated as a file with all of them would be encoded', () => {
  const tracks = {
    audio: [
      { from: [1, 2, 3, 4, 5, 6], as: '5.1' },
      { from: [7], as: 'mono', language: 'en' },
    ],
  };
  const audio = [{ ...stereo, channels: 6, languages: 'all' }];
  const { renditions } = estimate({ video: [v360], audio, outputs: [{ format: 'hls' }], tracks });
  expect(renditions.filter(({ kind }) => kind === 'audio').map(({ name }) => name)).toEqual([
    'stereo-und',
    'stereo-en',
  ]);
});

test('captions from speech may need processor time for each track, and none where nobody speaks', () => {
  const query = { video: [v360], audio: [stereo], outputs: [{ format: 'hls' }] };
  const plain = estimate(query);
  const spoken = estimate({ ...query, captions: { generate: 'missing' } });
  expect(spoken.cpuSeconds.min).toBe(plain.cpuSeconds.min);
  expect(spoken.cpuSeconds.max - plain.cpuSeconds.max).toBeCloseTo(1 + 60 * 0.4);
  expect(spoken.dollars.max).toBeGreaterThan(plain.dollars.max);
  const silent = { video: [v360], outputs: [{ format: 'hls' }], captions: { generate: 'missing' } };
  expect(estimate(silent).cpuSeconds).toEqual(estimate({ ...silent, captions: {} }).cpuSeconds);
  const service = { task, hasSpeechModel: false };
  const parsed = templateQuerySchema.parse({ ...query, captions: { generate: 'missing' } });
  expect(estimateVideo(parsed, minute, service)).toEqual(plain);
});
