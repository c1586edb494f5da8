import { expect, test } from 'vitest';
import { encodeWork } from '../../../../../functions/pipeline/encode-work.ts';
import { planVideo } from '../../../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../../../functions/templates/template-query.ts';
import type { CopyProperties } from '../../../../../shared/protocol/copy-properties.ts';
import type { FrameIndex, VideoTrack } from '../../../../../shared/protocol/probe-result.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from '../../source-fixture.ts';

const facts: CopyProperties = { profile: 'high', level: 4 };
const minute = { frameCount: 1800, copy: facts };
const ladder = { codec: 'h264' };
const hls = { format: 'hls' };

/** A plan of a 1080p source of 30 fps and `frameBytes` a frame, with a key frame every `gopFrames`. */
function planned(
  query: object,
  {
    gopFrames = 60,
    frameBytes = 12_000,
    audioSeconds = 60,
    audioStart = 0,
    ...changes
  }: Partial<VideoTrack> & { gopFrames?: number; frameBytes?: number; audioSeconds?: number; audioStart?: number } = {},
) {
  const video = videoTrack({ ...minute, bitrateBps: frameBytes * 8 * 30, ...changes });
  const even = evenIndex(video, gopFrames);
  const frames: FrameIndex = {
    ...even,
    copy: { frameBytes: Array(video.frameCount).fill(frameBytes), starts: even.keyFrames },
  };
  const plan = planVideo({
    probe: probeOf({ video, audio: [audioTrack({ startSeconds: audioStart, durationSeconds: audioSeconds })] }),
    frames,
    query: templateQuerySchema.parse({ copy: 'auto', audio: [{ name: 'a', codec: 'aac' }], outputs: [hls], ...query }),
    capacity: 0.1,
  });
  const copied = plan.groups.filter(({ rungs }) => rungs.some((rung) => rung.copied));
  return { plan, copied, names: copied.flatMap(({ rungs }) => rungs.map(({ name }) => name)) };
}

test('nothing is copied unless the template says so', () => {
  for (const copy of ['off', undefined]) {
    const { names, plan } = planned({ ladder, copy });
    expect(names).toEqual([]);
    expect(plan.warnings).toEqual([]);
  }
});

test('the rung of a ladder in the size of the source is a separate group with one chunk', () => {
  const { plan, copied, names } = planned({ ladder });
  expect(names).toEqual(['1080p']);
  expect(copied[0]).toMatchObject({ phase: 1, grid: { mode: 'passthrough', segmentFrames: 180 } });
  expect(copied[0]?.chunks).toEqual([
    { index: 0, startFrame: 0, endFrame: 1800, startPts: 0, endPts: 921_600, seekSeconds: null, untilByte: null },
  ]);
  expect(plan.starter).toEqual({ rung: '360p' });
  expect(plan.warnings).toEqual([]);
  expect(plan.groups.flatMap(({ rungs }) => rungs).some(({ name, copied: isCopy }) => name === '360p' && isCopy)).toBe(
    false,
  );
});

test('beside a copy, sound that is a few packets longer is cut to the video', () => {
  const early = { audioSeconds: 60.08, audioStart: -0.08 };
  expect(planned({ ladder }, early)).toMatchObject({
    names: ['1080p'],
    plan: { originSeconds: 0, durationSeconds: 60 },
  });
  expect(planned({ ladder }, { audioSeconds: 60.2, audioStart: -0.2 }).names).toEqual([]);

  const { plan, names } = planned({ ladder }, { audioSeconds: 60.09 });
  expect(names).toEqual(['1080p']);
  expect(plan.durationSeconds).toBe(60);
  expect(planned({ ladder, copy: 'off' }, { audioSeconds: 60.09 }).plan.durationSeconds).toBe(60.09);
  const longer = planned({ ladder }, { audioSeconds: 60.2 });
  expect(longer.names).toEqual([]);
  expect(longer.plan.durationSeconds).toBe(60.2);
});

test('a copy counts as the little work that it is', () => {
  const video = [{ name: 'v', codec: 'h264', height: 1080, bitrate: '5M' }];
  const copied = encodeWork(planned({ video }).plan).seconds;
  const encoded = encodeWork(planned({ video, copy: 'off' }).plan).seconds;
  expect(encoded - copied).toBeGreaterThan(70);
  expect(copied).toBeLessThan(15);
});

test('a copy that plays first is one chunk as well', () => {
  const { copied, plan } = planned({ video: [{ name: 'v', codec: 'h264', height: 1080, bitrate: '5M' }] });
  expect(plan.starter).toEqual({ rung: 'v' });
  expect(copied).toHaveLength(1);
  expect(copied[0]).toMatchObject({ phase: 0, chunks: [{ startFrame: 0, endFrame: 1800 }] });
});

test('the bitrates of a ladder for a copy are those of its table, not those that follow from the source', () => {
  expect(planned({ ladder }, { frameBytes: 20_000, bitrateBps: 1_000_000 }).names).toEqual(['1080p']);
  expect(planned({ ladder }, { frameBytes: 21_000 }).plan.warnings).toEqual([
    '1080p is encoded, not copied: the source has 5040 kbit/s on average, above 5000 kbit/s.',
  ]);
  expect(planned({ ladder: { ...ladder, max_bitrate: '2M' } }).names).toEqual([]);
});

test('segments of all renditions take the length that the key frames of the copy allow', () => {
  const { plan, copied } = planned({ ladder }, { gopFrames: 120 });
  expect(copied).toHaveLength(1);
  expect(new Set(plan.groups.map(({ grid }) => grid.segmentFrames))).toEqual(new Set([120]));
  expect(plan.audio.map(({ segmentSeconds }) => segmentSeconds)).toEqual([4]);
  expect(plan.outputs.map(({ segmentSeconds }) => segmentSeconds)).toEqual([4]);
});

test('outputs with another segment length have it for themselves', () => {
  const outputs = [
    { ...hls, segment_duration: 6 },
    { format: 'dash', segment_duration: 8 },
  ];
  const { plan, names } = planned({ ladder, outputs }, { gopFrames: 120 });
  expect(names).toEqual(['1080p', '1080p-8s']);
  expect(plan.outputs.map(({ segmentSeconds }) => segmentSeconds)).toEqual([4, 8]);
});

test('renditions of another frame rate keep the same bounds, or nothing is copied', () => {
  const video = [
    { name: 'v60', codec: 'h264', height: 1080, bitrate: '9M' },
    { name: 'v45', codec: 'h264', height: 360, bitrate: '800k', fps: 45 },
  ];
  const at60 = { averageFrameRate: { num: 60, den: 1 }, frameCount: 3600 };
  expect(planned({ video }, { ...at60, gopFrames: 240 }).names).toEqual(['v60']);
  const odd = video.map((rung) => ({ ...rung, gop: 0.5 }));
  expect(planned({ video: odd }, { ...at60, gopFrames: 270 }).names).toEqual([]);
});

test.each<[what: string, gopFrames: number]>([
  ['too far apart', 300],
  ['not at whole frames of a GOP', 59],
])('key frames that are %s are a reason to encode', (_, gopFrames) => {
  const { plan, names } = planned({ ladder }, { gopFrames });
  expect(names).toEqual([]);
  expect(plan.warnings).toEqual([
    '1080p is encoded, not copied: the key frames of the source are not where segments of about the requested length could start.',
  ]);
});

test('rungs that are encoded for the same reason share a sentence', () => {
  const rung = (name: string, crf: number, bitrate: string) => ({ name, codec: 'h264', height: 1080, crf, bitrate });
  const video = [rung('x', 20, '1M'), rung('y', 30, '1M'), rung('z', 20, '2M')];
  expect(planned({ video }, { frameBytes: 21_000 }).plan.warnings).toEqual([
    'z is encoded, not copied: the source has 5040 kbit/s on average, above 2000 kbit/s.',
    'x and y are encoded, not copied: the source has 5040 kbit/s on average, above 1000 kbit/s.',
  ]);
});

test('without a rung in the size of the source, there is one reason for all', () => {
  const { plan } = planned({ video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '3M' }] });
  expect(plan.warnings).toEqual(['No stream is copied: none has the 1920 × 1080 pixels of the source.']);
});

test('a changed picture is encoded, with the reason', () => {
  for (const picture of [{ rotate: 180 }, { flip: 'horizontal' }, { crop: { top: 2 } }]) {
    const { names, plan } = planned({ ladder, picture });
    expect(names).toEqual([]);
    expect(plan.warnings).toEqual(['No stream is copied: the template crops, rotates or flips the picture.']);
  }
  expect(planned({ ladder, picture: { crop: { top: '0%' }, deinterlace: 'double' } }).names).toEqual(['1080p']);
});
