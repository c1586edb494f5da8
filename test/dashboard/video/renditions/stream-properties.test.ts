import { expect, test } from 'vitest';
import { columnsOf, detailsOf } from '../../../../dashboard/video/renditions/stream-properties.ts';
import type { Stream } from '../../../../dashboard/video/video-properties.ts';

const rendition = {
  type: 'video',
  width: 854,
  height: 480,
  channels: null,
  language: null,
  input_params: { codec: 'h264' },
  meta: { codecs: 'avc1.64001f', profile: 'High', level: '3.1', bitrate: 1400, frame_rate: 29.97 },
} as unknown as Stream;

test('a rendition has its resolution, codec and bitrate in columns, and the rest in its details', () => {
  expect(columnsOf(rendition)).toEqual({ resolution: '854 × 480', codecs: ['h264'], bitrate: 1400 });
  expect(detailsOf(rendition)).toEqual([
    { name: 'codec', value: 'avc1.64001f' },
    { name: 'profile', value: 'High 3.1' },
    { name: 'frameRate', value: '29.97 fps' },
  ]);
});

test('what is not known is left out, and an unknown language is none', () => {
  const sound = { type: 'audio', width: null, height: null, channels: 2, input_params: {}, meta: {}, language: 'und' };
  expect(columnsOf(sound as unknown as Stream)).toEqual({ resolution: '2', codecs: [], bitrate: undefined });
  expect(detailsOf(sound as unknown as Stream)).toEqual([{ name: 'channels', value: '2' }]);
});

test('an original has the properties that the probe found, without those of its cover', () => {
  const cover = { codec_type: 'video', codec_name: 'mjpeg', disposition: { attached_pic: 1 } };
  const video = { codec_type: 'video', codec_name: 'h264', profile: 'High', avg_frame_rate: '30000/1001' };
  const audio = { codec_type: 'audio', codec_name: 'aac', sample_rate: '44100', channel_layout: 'stereo' };
  const original = {
    type: 'original',
    width: 1280,
    height: 720,
    channels: 2,
    input_params: {},
    meta: { format: { bit_rate: '687515' }, streams: [cover, video, audio] },
  } as unknown as Stream;
  expect(columnsOf(original)).toEqual({ resolution: '1280 × 720', codecs: ['h264', 'aac'], bitrate: 687_515 });
  expect(detailsOf(original)).toEqual([
    { name: 'profile', value: 'High' },
    { name: 'frameRate', value: '29.97 fps' },
    { name: 'sampleRate', value: '44.1 kHz' },
    { name: 'channels', value: 'stereo' },
  ]);
});
