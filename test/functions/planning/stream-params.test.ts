import { describe, expect, test } from 'vitest';
import { audioEntryOf, singleRendition, singleRung, videoEntryOf } from '../../../functions/planning/single-track.ts';
import { audioParams, videoParams } from '../../../functions/planning/stream-params.ts';
import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';
import { audioTrack, videoTrack } from './source-fixture.ts';

describe('input_params have the actual values of an audio stream', () => {
  const paramsOf = (asked: object, track: Partial<AudioTrack>) =>
    audioParams(singleRendition(audioEntryOf('a', asked), [audioTrack(track)])!);

  test.each([
    [6, 2, 2],
    [2, 1, 1],
    [2, 6, 2],
    [8, 3, 3],
    // FFmpeg's AAC encoder has no layout of seven.
    [8, 7, 6],
  ] as const)('%i channels requested of a source with %i become %i', (asked, source, channels) => {
    expect(paramsOf({ codec: 'aac', channels: asked }, { channels: source })).toMatchObject({ channels });
  });

  test('the sample rate, the bitrate and the language', () => {
    const asked = { codec: 'opus', sample_rate: 44_100, bitrate: '2M', language: 'en' };
    expect(paramsOf(asked, { channels: 2, language: 'en-GB' })).toEqual({
      codec: 'opus',
      sample_rate: 48_000,
      bitrate: '512k',
      channels: 2,
      language: 'en-GB',
    });
  });

  test('the loudness, if set', () => {
    expect(paramsOf({ codec: 'aac', loudness: -16 }, {})).toMatchObject({ loudness: -16 });
    expect(paramsOf({ codec: 'aac' }, {})).not.toHaveProperty('loudness');
  });
});

describe('input_params have the actual values of a video stream', () => {
  const paramsOf = (asked: object, source: object = {}) =>
    videoParams(
      singleRung(
        videoEntryOf('v', { codec: 'h264', ...asked }, 2),
        'contain',
        videoTrack({ frameCount: 60, ...source }),
        2,
      ),
    );

  test.each([
    [60, { num: 30, den: 1 }, 30],
    [30, { num: 60, den: 1 }, 30],
    [25, { num: 25, den: 1 }, 25],
    [29.97, { num: 60, den: 1 }, 29.97],
    [120, { num: 24_000, den: 1001 }, 23.976],
  ])('%f fps requested of a source with %j become %f', (fps, averageFrameRate, made) => {
    expect(paramsOf({ fps, crf: 20 }, { averageFrameRate })).toMatchObject({ fps: made });
  });

  test('size, bitrates and buffer for a source smaller than the requested size', () => {
    const asked = { width: 3840, height: 2160, bitrate: '16M', max_bitrate: '24M', buffer_size: '32M' };
    expect(paramsOf(asked)).toMatchObject({
      width: 1920,
      height: 1080,
      bitrate: '5657k',
      max_bitrate: '8485k',
      buffer_size: '11314k',
    });
  });

  test('settings that differ from the default', () => {
    const usual = { codec: 'h264', width: 1920, height: 1080, bitrate: '5000k', preset: 'medium', gop: 2 };
    expect(paramsOf({ bitrate: '5M', pixel_format: 'yuv420p', two_pass: false })).toEqual(usual);
    const asked = { codec: 'hevc', level: '5.0', pixel_format: 'yuv420p10le', two_pass: true, profile: 'main10' };
    expect(paramsOf({ bitrate: '5M', ...asked })).toEqual({ ...usual, ...asked });
    // With a crf there is one pass, even if two were requested.
    expect(paramsOf({ crf: 20, bitrate: '5M', two_pass: true })).toEqual({ ...usual, crf: 20 });
  });
});
