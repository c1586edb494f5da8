import { expect, test } from 'vitest';
import { codecsIn, defaultPixelFormat, pixelFormatsOf, profiles } from '../../../shared/media/codecs.ts';

test('MPEG-TS carries H.264 and AAC only', () => {
  expect(codecsIn('ts')).toEqual(['h264', 'aac']);
  expect(codecsIn('fmp4')).toEqual(['h264', 'hevc', 'av1', 'vp9', 'aac', 'opus']);
});

test.each([
  ['h264', 'high', ['yuv420p']],
  ['hevc', 'main10', ['yuv420p10le']],
  ['av1', 'main', ['yuv420p', 'yuv420p10le']],
  ['vp9', 'profile2', ['yuv420p10le']],
  ['h264', 'main10', []],
  ['h264', 'constructor', []],
] as const)('%s profile %s takes the pixel formats %j', (codec, profile, expected) => {
  expect(pixelFormatsOf(codec, profile)).toEqual(expected);
});

test('a 10-bit profile selects the 10-bit pixel format; every other choice is 8-bit', () => {
  expect(defaultPixelFormat('hevc', 'main10')).toBe('yuv420p10le');
  expect(defaultPixelFormat('vp9', 'profile2')).toBe('yuv420p10le');
  expect(defaultPixelFormat('av1', 'main')).toBe('yuv420p');
  expect(defaultPixelFormat('hevc', undefined)).toBe('yuv420p');
  expect(defaultPixelFormat('aac', undefined)).toBe('yuv420p');
});

test('each profile name is listed once', () => {
  expect(profiles).toEqual(['baseline', 'main', 'high', 'main10', 'profile0', 'profile2']);
});
