import { expect, test } from 'vitest';
import { templatesConfig } from '../../../functions/templates/templates-config.ts';

test('lists the codecs, resolutions, formats, defaults and limits of templates', () => {
  expect(templatesConfig).toEqual({
    codecs: {
      video: [
        {
          ...{ value: 'h264', label: 'H.264 / AVC', encoder: 'libx264', profiles: ['baseline', 'main', 'high'] },
          ...{ crf: { min: 0, max: 51, default: 23 }, bitrate_factor: 1 },
          ...{ containers: ['ts', 'fmp4', 'mp4'], formats: ['hls', 'dash', 'mp4'] },
        },
        {
          ...{ value: 'hevc', label: 'H.265 / HEVC', encoder: 'libx265', profiles: ['main', 'main10'] },
          ...{ crf: { min: 0, max: 51, default: 28 }, bitrate_factor: 0.65 },
          ...{ containers: ['fmp4', 'mp4'], formats: ['hls', 'dash', 'mp4'] },
        },
        {
          ...{ value: 'av1', label: 'AV1', encoder: 'libsvtav1', profiles: ['main'] },
          ...{ crf: { min: 0, max: 63, default: 32 }, bitrate_factor: 0.55 },
          ...{ containers: ['fmp4', 'mp4'], formats: ['hls', 'dash', 'mp4'] },
        },
        {
          ...{ value: 'vp9', label: 'VP9', encoder: 'libvpx-vp9', profiles: ['profile0', 'profile2'] },
          ...{ crf: { min: 0, max: 63, default: 31 }, bitrate_factor: 0.7 },
          ...{ containers: ['fmp4', 'mp4'], formats: ['hls', 'dash', 'mp4'] },
        },
      ],
      audio: [
        {
          ...{
            value: 'aac',
            label: 'AAC-LC',
            encoder: 'aac',
            channels: [1, 2, 6, 8],
            containers: ['ts', 'fmp4', 'mp4'],
          },
          bitrates: ['64k', '96k', '128k', '160k', '192k', '256k', '384k'],
        },
        {
          ...{ value: 'opus', label: 'Opus', encoder: 'libopus', channels: [1, 2, 6, 8], containers: ['fmp4', 'mp4'] },
          bitrates: ['48k', '64k', '96k', '112k', '128k', '192k', '256k'],
        },
      ],
    },
    resolutions: [
      { value: '2160p', label: '4K UHD', width: 3840, height: 2160, bitrate: '14000k' },
      { value: '1440p', label: 'QHD', width: 2560, height: 1440, bitrate: '8500k' },
      { value: '1080p', label: 'Full HD', width: 1920, height: 1080, bitrate: '5000k' },
      { value: '720p', label: 'HD', width: 1280, height: 720, bitrate: '2800k' },
      { value: '540p', label: 'qHD', width: 960, height: 540, bitrate: '1800k' },
      { value: '480p', label: 'SD', width: 854, height: 480, bitrate: '1400k' },
      { value: '360p', label: 'Low', width: 640, height: 360, bitrate: '800k' },
      { value: '240p', label: 'Very low', width: 426, height: 240, bitrate: '400k' },
      { value: '144p', label: 'Minimum', width: 256, height: 144, bitrate: '150k' },
    ],
    profiles: {
      ...{ h264: ['baseline', 'main', 'high'], hevc: ['main', 'main10'], av1: ['main'] },
      vp9: ['profile0', 'profile2'],
    },
    formats: [
      {
        ...{ value: 'hls', label: 'HLS', containers: ['fmp4', 'ts'], extension: 'm3u8' },
        mime: 'application/vnd.apple.mpegurl',
      },
      { value: 'dash', label: 'MPEG-DASH', containers: ['fmp4'], extension: 'mpd', mime: 'application/dash+xml' },
      { value: 'mp4', label: 'Progressive MP4', containers: ['mp4'], extension: 'mp4', mime: 'video/mp4' },
    ],
    encoder_presets: ['ultrafast', 'superfast', 'veryfast', 'faster', 'fast', 'medium', 'slow', 'slower'],
    defaults: {
      ...{ segment_duration: 6, gop: 2, preset: 'medium', chunk_duration: 30 },
      ...{ audio_bitrate: '128k', channels: 2, sample_rate: 48_000 },
    },
    limits: {
      ...{ max_outputs: 8, max_video_streams: 12, max_audio_streams: 16 },
      ...{ max_width: 8192, max_height: 4320, max_fps: 120, max_query_bytes: 65_536 },
    },
  });
});
