import { expect, test } from 'vitest';
import { fittingLevel } from '../../../functions/templates/levels.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';

test.each<[VideoCodec, string, string, number, string]>([
  // a level that frames and rate fit is kept
  ['h264', '4', '1920x1080', 30, '4'],
  ['h264', '5.1', '320x180', 25, '5.1'],
  ['hevc', '4', '1920x1080', 30, '4'],
  // the frames, the rate, or the longer side exceed it
  ['h264', '3', '1280x720', 30, '3.1'],
  ['h264', '4.1', '1920x1080', 60, '4.2'],
  ['h264', '1', '640x64', 10, '1.1'],
  ['hevc', '1', '1920x1080', 60, '4.1'],
  ['hevc', '3.1', '3840x2160', 60, '5.1'],
  // the codec does not have it
  ['h264', '2.3', '320x180', 25, '3'],
  ['h264', '6.3', '320x180', 25, '6.2'],
  ['hevc', '1.3', '160x90', 25, '2'],
  ['hevc', '4.2', '320x180', 25, '5'],
])('%s of level %s with %s at %d fps has level %s', (codec, asked, size, rate, expected) => {
  const [width, height] = size.split('x').map(Number) as [number, number];
  expect(fittingLevel(codec, asked, { width, height }, { num: rate, den: 1 })).toBe(expected);
});

test('without a level the encoder chooses it, and VP9 and AV1 have none to choose', () => {
  expect(fittingLevel('h264', undefined, { width: 640, height: 360 }, { num: 25, den: 1 })).toBeNull();
  expect(fittingLevel('vp9', '4', { width: 640, height: 360 }, { num: 25, den: 1 })).toBeNull();
});
