import { expect, test } from 'vitest';
import { growthViolations, readPlaylist } from '../../../../lab/faults/watched/playlist.ts';

const growing = (...segments: string[]): string =>
  ['#EXTM3U', '#EXT-X-PLAYLIST-TYPE:EVENT', '#EXT-X-MAP:URI="init.mp4"', ...segments, ''].join('\n');
const before = readPlaylist(growing('#EXTINF:2', 'a/0.m4s', 'a/1.m4s'));

test('a media playlist names its init and segments, a multivariant one the playlists of all tracks', () => {
  expect(before).toEqual({
    type: 'EVENT',
    isEnded: false,
    playlists: [],
    init: 'init.mp4',
    segments: ['a/0.m4s', 'a/1.m4s'],
  });
  const multivariant = ['#EXT-X-MEDIA:TYPE=AUDIO,URI="s.m3u8"', '#EXT-X-STREAM-INF:BANDWIDTH=1', 'v.m3u8', ''].join(
    '\n',
  );
  expect(readPlaylist(multivariant)).toMatchObject({ playlists: ['v.m3u8', 's.m3u8'], segments: [] });
});

test.each([
  ['grows', growing('a/0.m4s', 'a/1.m4s', 'b/2.m4s'), []],
  ['loses a segment', growing('a/0.m4s'), ['v has lost or moved the segment a/1.m4s']],
  ['replaces a segment', growing('a/0.m4s', 'b/1.m4s'), ['v has lost or moved the segment a/1.m4s']],
  ['has another init', growing('a/0.m4s', 'a/1.m4s').replace('init', 'other'), ['v has another init segment']],
  ['is replaced by the final one', growing('c/0.m4s').replace('EVENT', 'VOD'), []],
])('a playlist that %s', (_, after, sentences) => {
  expect(growthViolations('v', before, readPlaylist(after))).toEqual(sentences);
});

test('a playlist that has ended does not grow', () => {
  const ended = readPlaylist(`${growing('a/0.m4s')}#EXT-X-ENDLIST\n`);
  expect(growthViolations('v', ended, before)).toEqual(['v has ended and grows again', 'v grew after its end']);
});
