import { expect, test } from 'vitest';
import { numbersOf } from '../../../lab/random-sources/description/cadences.ts';
import { listedIn } from '../../../lab/random-sources/reading/multivariant-playlist.ts';

test('a multivariant playlist lists each rendition once, with its kind', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="English, stereo",DEFAULT=YES,URI="a/0.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="mono",NAME="English",DEFAULT=NO,URI="a/0.m3u8"',
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="English",URI="t/0.m3u8"',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="English",INSTREAM-ID="CC1"',
    '#EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=160x90,AUDIO="stereo"',
    'v/0.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=900,RESOLUTION=160x90,AUDIO="mono"',
    'v/0.m3u8',
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,RESOLUTION=160x90,URI="v/i.m3u8"',
  ];
  const listed = listedIn(text.join('\n'), 'http://localhost/video/main.m3u8');
  expect(listed.map(({ type, url, isDefault, height }) => [type, new URL(url).pathname, isDefault, height])).toEqual([
    ['AUDIO', '/video/a/0.m3u8', true, 0],
    ['SUBTITLES', '/video/t/0.m3u8', false, 0],
    ['VIDEO', '/video/v/0.m3u8', false, 90],
  ]);
});

const ten = { num: 10, den: 1 };

test.each([
  ['constant', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]],
  ['drops', [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19]],
  ['scroll', [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 18, 19]],
  ['static', [0, 7, 8, 18, 19]],
  ['gap', [0, 1, 2, 3, 4, 15, 16, 17, 18, 19]],
  ['single', [0]],
] as const)('a track with the cadence %s has these frames', (cadence, numbers) => {
  expect(numbersOf(cadence, 20, ten)).toEqual(numbers);
});
