import HLS from 'hls-parser';
import { expect, test } from 'vitest';
import {
  addSegments,
  emptyEventPlaylist,
  endPlaylist,
  readEventPlaylist,
} from '../../../functions/packaging/event-playlist.ts';
import { mediaPlaylist } from '../../../functions/packaging/media-playlist.ts';
import { videoTrack } from '../job-results/track-fixture.ts';

const empty = emptyEventPlaylist({ targetSeconds: 6, initPath: '../../r1/encode-video-00-00000-a1/v360/init.mp4' });
const first = addSegments(empty, [{ path: '../a/00000.m4s', durationSeconds: 6.006 }]);

test('a growing playlist tells players to start at its beginning and to come back', () => {
  expect(first).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:EVENT
#EXT-X-START:TIME-OFFSET=0.01,PRECISE=YES
#EXT-X-MAP:URI="../../r1/encode-video-00-00000-a1/v360/init.mp4"
#EXTINF:6.006000,
../a/00000.m4s
`);
});

test('a strict parser reads it, and segments are only added', () => {
  const longer = addSegments(first, [
    { path: '../b/00001.m4s', durationSeconds: 6.006 },
    { path: '../b/00002.m4s', durationSeconds: 1.5 },
  ]);
  expect(longer.startsWith(first)).toBe(true);
  const parsed = HLS.parse(endPlaylist(longer)) as HLS.types.MediaPlaylist;
  expect(parsed).toMatchObject({ playlistType: 'EVENT', endlist: true, targetDuration: 6 });
  expect(parsed.segments.map(({ uri, duration }) => [uri, duration])).toEqual([
    ['../a/00000.m4s', 6.006],
    ['../b/00001.m4s', 6.006],
    ['../b/00002.m4s', 1.5],
  ]);
  expect((HLS.parse(longer) as HLS.types.MediaPlaylist).endlist).toBe(false);
});

test('a track that starts later than others has a date', () => {
  const late = emptyEventPlaylist({ targetSeconds: 6, datedSeconds: 0.48, initPath: 'init.mp4' });
  const body = endPlaylist(addSegments(late, [{ path: '0.m4s', durationSeconds: 6 }]));
  const { segments } = HLS.parse(body) as HLS.types.MediaPlaylist;
  expect(segments[0]!.programDateTime?.toISOString()).toBe('1970-01-01T00:00:00.480Z');
});

test('its length is read back', () => {
  expect(readEventPlaylist(empty)).toEqual({ count: 0, seconds: 0, isEnded: false });
  expect(readEventPlaylist(first)).toEqual({ count: 1, seconds: 6.006, isEnded: false });
  expect(readEventPlaylist(endPlaylist(first))).toEqual({ count: 1, seconds: 6.006, isEnded: true });
});

test('a playlist of a packaged output is not a growing one', () => {
  expect(readEventPlaylist(mediaPlaylist(videoTrack()))).toBeUndefined();
});
