import { expect, test } from 'vitest';
import { playbackOptions, type Source } from '../../../dashboard/player/playback-options.ts';

const source = (format: Source['format'], name: string, media_type = 'video/mp4'): Source => ({
  format,
  name,
  media_type,
  url: `https://a.example/${name}`,
  status: 'completed',
  expires_at: null,
});

test('HLS comes first, then DASH, then files, and audio last', () => {
  const sources = [source('mp4', 'sound', 'audio/mp4'), source('mp4', 'film'), source('dash', 'd'), source('hls', 'h')];
  expect(playbackOptions(sources).map(({ label }) => label)).toEqual(['HLS', 'DASH', 'MP4 (film)', 'MP4 (sound)']);
});

test('sources of one format are told by name', () => {
  const labels = playbackOptions([source('hls', 'main'), source('hls', 'phones')]).map(({ label }) => label);
  expect(labels).toEqual(['HLS (main)', 'HLS (phones)']);
});
