import { expect, test } from 'vitest';
import { mergeParams } from '../../../functions/stream-edits/merge-params.ts';
import type { InputParams } from '../../../functions/templates/input-params.ts';

const landscape = { isPortrait: false };
const video: InputParams = {
  codec: 'hevc',
  width: 1280,
  height: 720,
  bitrate: '2000k',
  buffer_size: '4000k',
  preset: 'fast',
  gop: 2,
  profile: 'main10',
  level: '4.1',
  pixel_format: 'yuv420p10le',
  two_pass: true,
};

test('parameters that are not requested stay', () => {
  expect(mergeParams(video, { bitrate: '1M' }, landscape)).toEqual({ ...video, bitrate: '1M' });
  expect(mergeParams(video, {}, landscape)).toEqual(video);
});

test('a requested width or height clears the other', () => {
  const { width: _, height: __, ...others } = video;
  expect(mergeParams(video, { height: 1080 }, landscape)).toEqual({ ...others, height: 1080 });
  // A client that sends all current parameters with another height.
  expect(mergeParams(video, { ...video, height: 360 }, landscape)).toEqual({ ...others, height: 360 });
});

test('the size of a portrait stream stays: parameters are for landscape', () => {
  const portrait = { codec: 'h264', width: 720, height: 1280 } as const;
  expect(mergeParams(portrait, { crf: 20 }, { isPortrait: true })).toEqual({
    codec: 'h264',
    width: 1280,
    height: 720,
    crf: 20,
  });
});

test('a size out of the allowed range follows from the source', () => {
  expect(mergeParams({ codec: 'h264', width: 1000, height: 40 }, { crf: 20 }, landscape)).toEqual({
    codec: 'h264',
    width: 1000,
    crf: 20,
  });
  expect(mergeParams({ codec: 'h264', width: 40, height: 30 }, {}, landscape)).toEqual({ codec: 'h264' });
});

test('another codec clears the codec-specific parameters', () => {
  const { profile: _, level: __, pixel_format: ___, ...others } = video;
  expect(mergeParams(video, { codec: 'h264' }, landscape)).toEqual({ ...others, codec: 'h264' });
  const { two_pass: _____, buffer_size: ______, ...forAv1 } = others;
  expect(mergeParams({ ...video, max_bitrate: '3M' }, { codec: 'av1' }, landscape)).toEqual({
    ...forAv1,
    codec: 'av1',
  });
  expect(mergeParams(video, { codec: 'h264', profile: 'high' }, landscape)).toMatchObject({ profile: 'high' });
});

test('three channels, which cannot be requested, become six', () => {
  const current = { codec: 'aac', channels: 3 } as unknown as InputParams;
  expect(mergeParams(current, { bitrate: '96k' }, landscape)).toEqual({ codec: 'aac', channels: 6, bitrate: '96k' });
});
