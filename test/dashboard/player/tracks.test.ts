import { expect, test } from 'vitest';
import { audioNames, languageName, qualitiesOf, qualityLabel } from '../../../dashboard/player/tracks.ts';

const track = (width: number | null, height: number | null, bandwidth = 1) => ({ width, height, bandwidth });

test('qualities are sorted, the largest first, with the best track of each', () => {
  const tracks = [track(640, 360), track(1280, 720, 2), track(1280, 720, 3), track(null, null)];
  expect(qualitiesOf(tracks)).toEqual([
    { label: '720p', track: tracks[2] },
    { label: '360p', track: tracks[0] },
  ]);
});

test('a portrait video has its shorter side as its label', () => {
  expect(qualityLabel(track(1080, 1920))).toBe('1080p');
});

test.each([
  ['de', 'en', 'German'],
  ['de', 'de', 'Deutsch'],
  ['und', 'en', 'Default'],
  ['', 'en', 'Default'],
  ['not a tag', 'en', 'not a tag'],
])('language %j is called, in %s, %s', (tag, page, name) => {
  expect(languageName(tag, page, 'Default')).toBe(name);
});

test('audio tracks have the names of their languages, and labels only where these are the same', () => {
  const english = { label: 'English', language: 'en' };
  expect(audioNames([english, { label: 'German', language: 'de' }], 'de', 'Standard')).toEqual(['Englisch', 'Deutsch']);
  const commentary = { label: 'Commentary', language: 'en' };
  expect(audioNames([english, commentary], 'de', 'Standard')).toEqual(['English', 'Commentary']);
});

test('encodes of one audio track say how many channels they have', () => {
  const encodes = [2, 6].flatMap((channelsCount) => [
    { label: 'English', language: 'en', channelsCount },
    { label: 'German', language: 'de', channelsCount },
  ]);
  expect(audioNames(encodes, 'de', 'Standard')).toEqual([
    'Englisch (stereo)',
    'Deutsch (stereo)',
    'Englisch (5.1)',
    'Deutsch (5.1)',
  ]);
});
