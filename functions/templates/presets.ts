import type { z } from 'zod';
import { defaults } from '../../shared/defaults.ts';
import type { templateQuerySchema } from './template-query.ts';

type Preset = { slug: string; name: string; description: string; query: z.input<typeof templateQuerySchema> };

/** The built-in templates, which users can adopt and change. */
export const presets = [
  {
    slug: 'hls-auto-1080p',
    name: 'HLS auto ladder up to 1080p',
    description:
      'H.264 of constant quality in fragmented MP4, rungs chosen from the source, never above it or 1080p. The recommended default.',
    query: {
      version: 1,
      ladder: { codec: 'h264', mode: 'quality', max_height: 1080, min_height: 240, max_renditions: 5 },
      audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2, languages: 'all' }],
      outputs: [{ name: 'hls', format: 'hls', segment_duration: defaults.segmentSeconds }],
      thumbnails: { poster: { at: '10%' }, sprite: { interval: 10 } },
    },
  },
  {
    slug: 'hls-h264-fixed',
    name: 'HLS H.264 fixed ladder',
    description: 'Four fixed rungs from 360p to 1080p with AAC stereo, fragmented MP4.',
    query: {
      version: 1,
      video: [
        {
          name: 'v1080',
          codec: 'h264',
          width: 1920,
          height: 1080,
          bitrate: '5000k',
          max_bitrate: '7500k',
          buffer_size: '10000k',
          profile: 'high',
        },
        {
          name: 'v720',
          codec: 'h264',
          width: 1280,
          height: 720,
          bitrate: '2800k',
          max_bitrate: '4200k',
          buffer_size: '5600k',
          profile: 'high',
        },
        {
          name: 'v480',
          codec: 'h264',
          width: 854,
          height: 480,
          bitrate: '1400k',
          max_bitrate: '2100k',
          buffer_size: '2800k',
          profile: 'main',
        },
        {
          name: 'v360',
          codec: 'h264',
          width: 640,
          height: 360,
          bitrate: '800k',
          max_bitrate: '1200k',
          buffer_size: '1600k',
          profile: 'main',
        },
      ],
      audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
      outputs: [{ name: 'hls', format: 'hls', segment_duration: defaults.segmentSeconds }],
      thumbnails: { poster: {} },
    },
  },
  {
    slug: 'hls-ts-compat',
    name: 'HLS transport stream, wide device reach',
    description: 'H.264 Main and AAC in MPEG-TS segments for old set-top boxes and players.',
    query: {
      version: 1,
      video: [
        { name: 'v720', codec: 'h264', width: 1280, height: 720, bitrate: '2500k', profile: 'main', fps: 30 },
        { name: 'v432', codec: 'h264', width: 768, height: 432, bitrate: '1100k', profile: 'main', fps: 30 },
        { name: 'v234', codec: 'h264', width: 416, height: 234, bitrate: '300k', profile: 'baseline', fps: 30 },
      ],
      audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k', channels: 2 }],
      outputs: [{ name: 'hls', format: 'hls', container: 'ts', segment_duration: defaults.segmentSeconds }],
      thumbnails: { poster: {} },
    },
  },
  {
    slug: 'hls-dash-hevc-4k',
    name: 'HLS and DASH, HEVC up to 2160p',
    description: 'HEVC auto ladder up to 2160p shared by one HLS and one DASH output.',
    query: {
      version: 1,
      ladder: { codec: 'hevc', max_height: 2160, min_height: 360, max_renditions: 6, profile: 'main' },
      audio: [{ name: 'stereo', codec: 'aac', bitrate: '192k', channels: 2, languages: 'all' }],
      outputs: [
        { name: 'hls', format: 'hls', segment_duration: defaults.segmentSeconds },
        { name: 'dash', format: 'dash', segment_duration: defaults.segmentSeconds },
      ],
      thumbnails: { poster: {}, sprite: {} },
    },
  },
  {
    slug: 'dash-vp9-opus',
    name: 'DASH VP9 and Opus',
    description: 'Royalty-free stack for browsers: VP9 constant-quality rungs with a bitrate cap, Opus audio.',
    query: {
      version: 1,
      video: [
        { name: 'v1080', codec: 'vp9', width: 1920, height: 1080, crf: 31, bitrate: '3500k', profile: 'profile0' },
        { name: 'v720', codec: 'vp9', width: 1280, height: 720, crf: 32, bitrate: '1900k', profile: 'profile0' },
        { name: 'v480', codec: 'vp9', width: 854, height: 480, crf: 33, bitrate: '900k', profile: 'profile0' },
      ],
      audio: [{ name: 'stereo', codec: 'opus', bitrate: '96k', channels: 2 }],
      outputs: [{ name: 'dash', format: 'dash', segment_duration: 4 }],
      thumbnails: { poster: { format: 'webp' } },
    },
  },
  {
    slug: 'dash-av1',
    name: 'DASH and HLS, AV1',
    description: 'AV1 auto ladder up to 1440p; lowest bitrate, slowest to encode.',
    query: {
      version: 1,
      ladder: { codec: 'av1', max_height: 1440, min_height: 360, max_renditions: 5, preset: 'fast' },
      audio: [{ name: 'stereo', codec: 'opus', bitrate: '112k', channels: 2, languages: 'all' }],
      outputs: [
        { name: 'dash', format: 'dash', segment_duration: defaults.segmentSeconds },
        { name: 'hls', format: 'hls', segment_duration: defaults.segmentSeconds },
      ],
      thumbnails: { poster: {} },
    },
  },
  {
    slug: 'mp4-720p',
    name: 'MP4 download 720p',
    description: 'One progressive H.264/AAC file for download or e-mail players.',
    query: {
      version: 1,
      video: [
        {
          name: 'v720',
          codec: 'h264',
          width: 1280,
          height: 720,
          crf: 22,
          bitrate: '3000k',
          profile: 'high',
          preset: 'slow',
        },
      ],
      audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
      outputs: [{ name: 'mp4', format: 'mp4', faststart: true }],
      thumbnails: { poster: {} },
    },
  },
  {
    slug: 'audio-only',
    name: 'Audio only',
    description: 'Every source audio track as AAC in HLS and one MP4 (M4A) file of the default track.',
    query: {
      version: 1,
      audio: [
        { name: 'all', codec: 'aac', bitrate: '128k', channels: 2, languages: 'all' },
        { name: 'main', codec: 'aac', bitrate: '128k', channels: 2, languages: 'default' },
      ],
      outputs: [
        { name: 'hls', format: 'hls', video: [], audio: ['all'] },
        { name: 'm4a', format: 'mp4', video: [], audio: ['main'] },
      ],
    },
  },
] as const satisfies readonly Preset[];
