import { expect, test } from 'vitest';
import { describeAudio } from '../../../encoder-task/probe/describe-audio.ts';
import { describeVideo } from '../../../encoder-task/probe/describe-video.ts';
import { createPacketIndex } from '../../../encoder-task/probe/packet-index.ts';
import { audioTrackSchema, maxTicks, videoTrackSchema } from '../../../shared/protocol/probe-result.ts';

type Times = { pts: number; durationTicks?: number };

function indexOf(streamIndex: number, packets: Times[]) {
  const index = createPacketIndex(0);
  for (const { pts, durationTicks = 40 } of packets) {
    const facts = { streamIndex, dts: pts, bytes: 1000, endByte: 0, isKey: true, isPresented: true, isDamaged: false };
    index.add({ ...facts, pts, durationTicks });
  }
  return index.finish();
}

const picture = { index: 0, codec_name: 'h264', pix_fmt: 'yuv420p', width: 320, height: 180, time_base: '1/1000' };
const videoOf = (packets: Times[], stream: object = {}) =>
  describeVideo({ ...picture, ...stream }, indexOf(0, packets).video, {
    formatName: 'mov',
    hdr10: null,
    interlaced: false,
  })?.track;
const sound = { index: 1, codec_name: 'aac', channels: 2, sample_rate: '48000', time_base: '1/48000' };
const audioOf = (packets: Times[], stream: object = {}) =>
  describeAudio({ ...sound, ...stream }, indexOf(1, packets).audio.get(1));

test('a packet with an impossible time is ignored', () => {
  expect(videoOf([{ pts: 0 }, { pts: 40 }, { pts: 2 ** 62 }, { pts: -(2 ** 62) }])).toMatchObject({
    startPts: 0,
    endPts: 80,
    frameCount: 2,
  });
  expect(videoOf([{ pts: 2 ** 62 }])).toBeUndefined();
  expect(audioOf([{ pts: 2 ** 62 }])).toBeUndefined();
});

test.each([2 ** 62, -1, Number.NaN])('an invalid packet duration of %d ticks is ignored', (ticks) => {
  expect(videoOf([{ pts: 0 }, { pts: 40, durationTicks: ticks }])).toMatchObject({ endPts: 80 });
});

test('the distance of decode times is not the duration of a last frame that is decoded before others', () => {
  const reordered = [{ pts: 0 }, { pts: 1000, durationTicks: 600 }, { pts: 960, durationTicks: 900 }];
  expect(videoOf(reordered)).toMatchObject({ endPts: 1040 });
  const inOrder = [{ pts: 0 }, { pts: 960 }, { pts: 1000, durationTicks: 600 }];
  expect(videoOf(inOrder)).toMatchObject({ endPts: 1600 });
});

test.each([
  ['frames at the limits of time', [{ pts: -maxTicks }, { pts: maxTicks }], {}],
  ['an unusual time base', [{ pts: 0 }, { pts: 7 }, { pts: 4_000_037 }], { time_base: '1/4294967291' }],
  ['one frame without a duration', [{ pts: 5, durationTicks: 0 }], { time_base: '4294967291/1' }],
  ['an impossible bitrate', [{ pts: 0, durationTicks: 1 }], { time_base: '1/4294967291' }],
  ['a tall frame', [{ pts: 0 }], { width: 2, height: 2 ** 16 }],
])('the description of a video with %s can be stored', (_, packets, stream) => {
  expect(videoTrackSchema.safeParse(videoOf(packets, stream)).error?.issues).toBeUndefined();
});

test('video with a negative width is no track', () => {
  expect(videoOf([{ pts: 0 }], { width: -320 })).toBeUndefined();
});

test('a frame above the width limit is rejected, also with a height of one pixel', () => {
  const rejected = expect.objectContaining({ code: 'INPUT_TOO_LARGE', fatal: true });
  expect(() => videoOf([{ pts: 0 }], { width: 2 ** 17, height: 1 })).toThrow(rejected);
});

test.each([
  ['a sample rate above the maximum', { sample_rate: '4294967295' }],
  ['a language with many subtags', { tags: { language: 'de-'.repeat(100) } }],
])('the description of audio with %s can be stored', (_, stream) => {
  expect(audioTrackSchema.safeParse(audioOf([{ pts: 0, durationTicks: 1024 }], stream)).error?.issues).toBeUndefined();
});

test('audio with an impossible start is no track', () => {
  expect(audioOf([{ pts: 2 ** 50, durationTicks: 1024 }], { time_base: '1/1' })).toBeUndefined();
});
