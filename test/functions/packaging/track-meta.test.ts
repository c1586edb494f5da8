import { expect, test } from 'vitest';
import { streamMeta } from '../../../functions/contracts/fields/stream-meta-fields.ts';
import { fileMeta, trackMeta } from '../../../functions/packaging/track-meta.ts';
import { trackPropertiesSchema } from '../../../shared/protocol/track-properties.ts';
import { audioTrack, videoTrack } from '../job-results/track-fixture.ts';

const segment = (bytes: number, n: number) => ({
  path: `${n}.m4s`,
  bytes,
  startTicks: n * 120_120,
  durationTicks: 120_120,
});
/** Two segments of 120 frames at 30000/1001 frames per second. The second has twice the bytes of the first. */
const video = videoTrack({
  codecs: 'avc1.64001f',
  timescale: 30_000,
  frameCount: 240,
  segments: [segment(500_400, 0), segment(1_000_900, 1)],
  facts: {
    profile: 'High',
    pixelFormat: 'yuv420p',
    colorRange: 'tv',
    colorPrimaries: 'bt709',
    colorTransfer: 'bt709',
    colorSpace: 'bt709',
  },
});
const audio = audioTrack({
  codecs: 'mp4a.40.2',
  timescale: 48_000,
  segments: [{ path: 'a.m4s', bytes: 96_000, startTicks: 0, durationTicks: 288_000 }],
  facts: { profile: 'LC', sampleRateHz: 48_000, channelLayout: 'stereo', loudnessLufs: -16.2 },
});
const videoProperties = {
  codecs: 'avc1.64001f',
  profile: 'High',
  level: '3.1',
  duration: 8.008,
  frame_rate: 29.97,
  bitrate: 1_499_801,
  peak_bitrate: 1_999_801,
  pixel_format: 'yuv420p',
  color_range: 'tv',
  color_primaries: 'bt709',
  color_transfer: 'bt709',
  color_space: 'bt709',
};
const audioProperties = {
  codecs: 'mp4a.40.2',
  profile: 'LC',
  duration: 6,
  bitrate: 128_000,
  peak_bitrate: 128_000,
  sample_rate: 48_000,
  channel_layout: 'stereo',
  loudness: -16.2,
};

test('the meta of a video track has the values of its segments and the facts of its worker', () => {
  expect(trackMeta(video)).toEqual(videoProperties);
});

test('the meta of an audio track has audio facts', () => {
  expect(trackMeta(audio)).toEqual(audioProperties);
});

test('the meta of a copied track says so', () => {
  expect(trackMeta({ ...video, copied: true })).toEqual({ ...videoProperties, copied: true });
});

test('the meta of a track without facts has the values of its segments', () => {
  expect(trackMeta({ ...audio, facts: undefined })).toEqual({
    codecs: 'mp4a.40.2',
    duration: 6,
    bitrate: 128_000,
    peak_bitrate: 128_000,
  });
});

test('the meta of a file has its own values and those of its tracks', () => {
  const file = { bytes: 1_700_000, durationSeconds: 8.0123, codecs: 'avc1.64001f,mp4a.40.2' };
  expect(fileMeta(file, { video, audio })).toEqual({
    codecs: 'avc1.64001f,mp4a.40.2',
    duration: 8.012,
    bitrate: 1_697_391,
    video: videoProperties,
    audio: audioProperties,
  });
  expect(fileMeta(file, { video, audio: undefined })).toMatchObject({ video: videoProperties, audio: undefined });
});

test('the meta passes the schema of the API unchanged', () => {
  const { success, data } = streamMeta.strict().safeParse({ ...videoProperties, audio: audioProperties });
  expect(success).toBe(true);
  expect(data).toEqual({ ...videoProperties, audio: audioProperties });
});

test.each([
  { profile: 'x'.repeat(41) },
  { pixelFormat: '<b>yuv420p</b>' },
  { colorSpace: 'bt709\n' },
  { sampleRateHz: -1 },
  { loudnessLufs: Number.NaN },
])('the invalid facts %j of a worker are dropped', (facts) => {
  expect(trackPropertiesSchema.parse({ ...facts, colorRange: 'tv' })).toEqual({ colorRange: 'tv' });
});

test('the size of the meta is limited, whatever facts a worker reports', () => {
  const longest = 'x'.repeat(40);
  const facts = {
    profile: longest,
    pixelFormat: longest,
    colorRange: longest,
    channelLayout: longest,
    colorPrimaries: longest,
    colorTransfer: longest,
    colorSpace: longest,
  };
  expect(trackPropertiesSchema.parse(facts)).toEqual(facts);
  const meta = fileMeta(
    { bytes: 1e12, durationSeconds: 1e6, codecs: longest },
    { video: { ...video, facts }, audio: { ...audio, facts } },
  );
  // A video has up to 64 streams in one item of at most 400 KB.
  expect(JSON.stringify(meta).length).toBeLessThan(2048);
});
