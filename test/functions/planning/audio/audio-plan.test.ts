import { expect, test } from 'vitest';
import { planAudio } from '../../../../functions/planning/audio/audio-plan.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import type { AudioTrack } from '../../../../shared/protocol/probe-result.ts';
import { audioTrack } from '../source-fixture.ts';

function renditions(settings: object, tracks: AudioTrack[], taken: string[] = []) {
  const audio = [{ name: 'stereo', codec: 'aac', ...settings }];
  const entry = templateQuerySchema.parse({ audio, outputs: [{ format: 'hls' }] }).audio[0]!;
  return planAudio(entry, tracks, new Set(taken)).map(({ rendition }) => rendition);
}

const named = (...args: Parameters<typeof renditions>) =>
  renditions(...args).map(({ name, streamIndex }) => [name, streamIndex]);

const german = audioTrack({ streamIndex: 1, language: 'de', isDefault: false });
const english = audioTrack({ streamIndex: 2, language: 'en' });
const british = audioTrack({ streamIndex: 3, language: 'en-GB', isDefault: false });
const commentary = audioTrack({ streamIndex: 4, language: 'en', isDefault: false });
const tracks = [german, english, british, commentary];

test('the default track keeps the name of its entry', () => {
  expect(named({}, tracks)).toEqual([['stereo', 2]]);
  expect(named({}, [german, british])).toEqual([['stereo', 1]]);
  expect(named({ languages: 'all' }, [german])).toEqual([['stereo', 1]]);
});

test('several tracks are named by language, the default one first', () => {
  expect(named({ languages: 'all' }, tracks)).toEqual([
    ['stereo-en', 2],
    ['stereo-de', 1],
    ['stereo-en-gb', 3],
    ['stereo-en-2', 4],
  ]);
});

test('a language matches its regions, a region only itself, and three-letter codes equal two-letter codes', () => {
  expect(named({ languages: ['en'] }, tracks).map(([, index]) => index)).toEqual([2, 3, 4]);
  expect(named({ languages: ['en-GB'] }, tracks)).toEqual([['stereo', 3]]);
  expect(named({ languages: ['deu', 'fr'] }, tracks)).toEqual([['stereo', 1]]);
});

test('when no language matches, the default track is used', () => {
  expect(named({ languages: ['fr', 'ja'] }, tracks)).toEqual([['stereo', 2]]);
});

test('a source without tracks has no renditions', () => {
  expect(named({ languages: 'all' }, [])).toEqual([]);
});

test('names do not collide with other streams', () => {
  expect(named({ languages: 'all' }, [english, german], ['stereo-de'])).toEqual([
    ['stereo-en', 2],
    ['stereo-de-2', 1],
  ]);
});

test('the channel count never exceeds that of the source', () => {
  const channels = (asked: number, given: number, codec = 'aac') =>
    renditions({ channels: asked, codec }, [audioTrack({ channels: given })])[0]?.channels;
  expect(channels(2, 1)).toBe(1);
  expect(channels(2, 6)).toBe(2);
  expect(channels(6, 5)).toBe(5);
  expect(channels(8, 7)).toBe(6);
  expect(channels(8, 7, 'opus')).toBe(7);
});

test('opus is always at 48 kHz, aac as requested', () => {
  expect(renditions({ codec: 'opus', sample_rate: 44100 }, [english])[0]?.sampleRateHz).toBe(48_000);
  expect(renditions({ sample_rate: 44100 }, [english])[0]?.sampleRateHz).toBe(44_100);
});

test('bitrates are clamped to the range of the encoder', () => {
  expect(renditions({ bitrate: '1' }, [english])[0]?.bitrateBps).toBe(32_000);
  expect(renditions({ codec: 'opus', bitrate: '99M' }, [english])[0]?.bitrateBps).toBe(512_000);
});

test('tracks for some viewers only come last, whatever the file says, and have their roles in their names', () => {
  const described = audioTrack({ streamIndex: 2, language: 'de', title: 'Hörfilm', roles: ['description'] });
  const talk = audioTrack({ streamIndex: 3, isDefault: false, roles: ['commentary'] });
  const noises = audioTrack({ streamIndex: 4, language: 'zxx' });
  const all = [german, described, talk, noises];
  expect(named({ languages: 'all' }, all)).toEqual([
    ['stereo-de', 1],
    ['stereo-de-description', 2],
    ['stereo-zxx', 4],
    ['stereo-en-commentary', 3],
  ]);
  expect(named({}, all)).toEqual([['stereo', 1]]);
  expect(named({ languages: ['en'] }, all)).toEqual([['stereo', 3]]);
  expect(renditions({ languages: 'all' }, all)[1]).toMatchObject({ label: 'Hörfilm', roles: ['description'] });
  expect(renditions({}, [german])[0]).not.toHaveProperty('roles');
});

test('names of streams stay within the limit of what workers report', () => {
  const language = 'de-x-abcdefgh-abcdefgh-abcdefgh-abcd';
  const twins = [audioTrack({ streamIndex: 1, language }), audioTrack({ streamIndex: 2, language })];
  const names = renditions({ name: 'a'.repeat(32), languages: 'all' }, twins).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(64);
});

test('a pair of mono tracks is stereo, or mono where that is asked for', () => {
  const pair = { ...audioTrack({ language: 'und' }), channelLayout: 'stereo', joined: [1, 2] };
  expect(renditions({}, [pair])[0]).toMatchObject({ streamIndex: 1, joined: [1, 2], channels: 2 });
  expect(renditions({ channels: 1 }, [pair])[0]).toMatchObject({ joined: [1, 2], channels: 1 });
});
