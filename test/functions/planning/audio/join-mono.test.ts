import { expect, test } from 'vitest';
import { joinMonoTracks } from '../../../../functions/planning/audio/join-mono.ts';
import type { AudioTrack } from '../../../../shared/protocol/probe-result.ts';
import { audioTrack } from '../source-fixture.ts';

const mono = (streamIndex: number, changes: Partial<AudioTrack> = {}): AudioTrack =>
  audioTrack({ streamIndex, codec: 'pcm_s24le', channels: 1, language: 'und', isDefault: false, ...changes });
const speaker = (streamIndex: number, name: string): AudioTrack =>
  mono(streamIndex, { channelLayout: name === 'FC' ? 'mono' : `1 channels (${name})` });

/** The tracks with the streams that they consist of. */
const streams = (tracks: AudioTrack[]) =>
  joinMonoTracks(tracks).map(({ streamIndex, joined, channels, channelLayout }) => [
    joined ?? streamIndex,
    channels,
    channelLayout,
  ]);

test('two mono tracks without language are left and right, until the later end', () => {
  const tracks = [mono(1, { isDefault: true, startSeconds: 0.02 }), mono(2, { durationSeconds: 60.04 })];
  expect(joinMonoTracks(tracks)).toEqual([
    {
      ...tracks[0],
      channels: 2,
      channelLayout: 'stereo',
      startSeconds: 0,
      durationSeconds: 60.04,
      joined: [1, 2],
    },
  ]);
});

test('of eight mono tracks the first two are used, and other tracks stay', () => {
  const eight = Array.from({ length: 8 }, (_, n) => mono(n + 1));
  expect(streams([...eight, audioTrack({ streamIndex: 9 })])).toEqual([
    [[1, 2], 2, 'stereo'],
    [9, 2, undefined],
  ]);
});

test('each language of a camera or an editing program is a pair', () => {
  const tracks = [mono(1, { language: 'de' }), mono(2, { language: 'de' }), mono(3, { language: 'en' })];
  expect(streams([...tracks, mono(4, { language: 'en' })])).toEqual([
    [[1, 2], 2, 'stereo'],
    [[3, 4], 2, 'stereo'],
  ]);
});

test.each<[string, AudioTrack[]]>([
  ['languages', [mono(1, { language: 'de' }), mono(2, { language: 'en' })]],
  ['titles', [mono(1, { title: 'Interview' }), mono(2, { title: 'Room' })]],
  ['roles', [mono(1), mono(2, { roles: ['commentary'] })]],
  ['lengths', [mono(1), mono(2, { durationSeconds: 50 })]],
  ['codecs', [mono(1), mono(2, { codec: 'aac' })]],
  ['numbers of channels', [mono(1), mono(2, { channels: 2 })]],
])('tracks of different %s stay apart', (_, tracks) => {
  expect(joinMonoTracks(tracks)).toEqual(tracks);
});

test('two compressed tracks of one language are a choice, without language they are a pair', () => {
  const pair = (language: string) => [mono(1, { codec: 'aac', language }), mono(2, { codec: 'aac', language })];
  expect(streams(pair('en')).map(([stream]) => stream)).toEqual([1, 2]);
  expect(streams(pair('und'))).toEqual([[[1, 2], 2, 'stereo']]);
});

test('speakers that the file names decide: 5.1, or left and right in any order', () => {
  const names = ['FC', 'FL', 'FR', 'SL', 'SR', 'LFE'];
  expect(streams(names.map((name, n) => speaker(n + 1, name)))).toEqual([[[2, 3, 1, 6, 4, 5], 6, '5.1']]);
  expect(streams([speaker(1, 'FR'), speaker(2, 'FL')])).toEqual([[[2, 1], 2, 'stereo']]);
  const surround = [speaker(1, 'BL'), speaker(2, 'BR')];
  expect(joinMonoTracks(surround)).toEqual(surround);
});

test('joined tracks stay as they are', () => {
  const joined = joinMonoTracks([mono(1), mono(2)]);
  expect(joinMonoTracks(joined)).toEqual(joined);
});
