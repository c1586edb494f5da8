import { expect, test } from 'vitest';
import { audioDecisions } from '../../../../functions/planning/audio/audio-decisions.ts';
import { planTracks } from '../../../../functions/planning/plan-tracks.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import type { AudioTrack } from '../../../../shared/protocol/probe-result.ts';
import { audioTrack } from '../source-fixture.ts';

/** What is decided when a template with these settings has an output of a format. */
function decided(tracks: AudioTrack[], settings: object = { languages: 'all' }, format = 'hls') {
  const audio = [{ name: 'stereo', codec: 'aac', ...settings }];
  const query = templateQuerySchema.parse({ audio, outputs: [{ format }] });
  const { variants } = planTracks({ video: null, audio: tracks }, query);
  return audioDecisions(tracks, variants.audio);
}

const main = audioTrack({ streamIndex: 1, language: 'de', isDefault: false });
const description = audioTrack({ streamIndex: 2, language: 'de', roles: ['description'] });
const commentary = audioTrack({ streamIndex: 3, language: 'en', isDefault: false, roles: ['commentary'] });
const effects = audioTrack({ streamIndex: 4, language: 'zxx', isDefault: false });
const french = audioTrack({ streamIndex: 5, language: 'fr', isDefault: false });

test('nothing is decided about one track, or where the file marks one as default', () => {
  expect(decided([main])).toEqual([]);
  expect(decided([{ ...main, isDefault: true }, french, commentary])).toEqual([]);
  expect(decided([])).toEqual([]);
});

test('a description that the file marks as default is not the main track', () => {
  expect(decided([main, description, commentary, effects])).toEqual([
    {
      code: 'audio_track_chosen',
      message: 'Audio track 1 (de) is the main one: the default track 2 is an audio description.',
      facts: { stream: 1, reason: 'role' },
    },
  ]);
});

test('of several default tracks or of none, the first is chosen', () => {
  const messages = (tracks: AudioTrack[]) => decided(tracks).map(({ message }) => message);
  expect(messages([main, { ...french, language: 'und' }])).toEqual([
    'Audio track 1 (de) is the main one: the file marks none of the 2 tracks as default, and it comes first.',
  ]);
  expect(messages([main, { ...french, isDefault: true }, audioTrack({ streamIndex: 6 })])).toEqual([
    'Audio track 5 (fr) is the main one: it is the first of the 2 tracks that the file marks as default.',
  ]);
});

test('tracks that no output has are named', () => {
  const tracks = [{ ...main, isDefault: true }, french, commentary];
  const leftOut = {
    code: 'audio_track_left_out',
    message: 'Audio tracks 5 (fr) and 3 (en) are left out: no output of the template asks for them.',
    facts: { streams: [5, 3] },
  };
  expect(decided(tracks, {})).toEqual([leftOut]);
  // an MP4 has one audio track
  expect(decided(tracks, { languages: 'all' }, 'mp4')).toEqual([leftOut]);
  expect(decided(tracks, { languages: ['de', 'fr'] })).toEqual([
    {
      code: 'audio_track_left_out',
      message: 'Audio track 3 (en) is left out: no output of the template asks for it.',
      facts: { streams: [3] },
    },
  ]);
});

test('joined tracks and the mono tracks beyond them are named', () => {
  const eight = Array.from({ length: 8 }, (_, n) =>
    audioTrack({ streamIndex: n + 1, codec: 'pcm_s16le', channels: 1, language: 'und', isDefault: n === 0 }),
  );
  expect(decided(eight)).toEqual([
    {
      code: 'audio_tracks_joined',
      message: 'Audio tracks 1 and 2 are mono and equally long: they are the channels of one track in stereo.',
      facts: { streams: [1, 2], channels: 2 },
    },
    {
      code: 'audio_track_left_out',
      message:
        'Audio tracks 3, 4, 5, 6, 7, and 8 are left out: they are mono, and the stereo sound is made of the first two mono tracks.',
      facts: { streams: [3, 4, 5, 6, 7, 8] },
    },
  ]);
});

test('no message exceeds the limit of decisions', () => {
  const language = 'de-x-abcdefgh-abcdefgh-abcdefgh-abcd';
  const many = Array.from({ length: 64 }, (_, n) => audioTrack({ streamIndex: n + 1, language, isDefault: n === 0 }));
  const [decision] = decided(many, {});
  expect(decision?.message.length).toBeLessThanOrEqual(300);
  expect(decision?.message).toMatch(/ and 59 others are left out/);
});
