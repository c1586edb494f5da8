import { expect, test } from 'vitest';
import { describeAudio, limitAudio } from '../../../encoder-task/probe/describe-audio.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';

const described = (stream: Partial<ProbeStream>) => {
  const facts = { index: 1, codec_name: 'aac', channels: 2, sample_rate: '48000', time_base: '1/48000', ...stream };
  const { title, roles } = describeAudio(facts as ProbeStream, { startPts: 0, endPts: 48_000 })!;
  return { title, roles };
};
const titled = (title: string) => described({ tags: { title } });

test('flags of the file become roles', () => {
  expect(described({ disposition: { default: 1, visual_impaired: 1, descriptions: 1 } }).roles).toEqual([
    'description',
  ]);
  // a description that a broadcast sends apart from the main track
  expect(described({ disposition: { dependent: 1 } }).roles).toEqual(['description']);
  expect(described({ disposition: { comment: 1, dub: 1 } }).roles).toEqual(['commentary', 'dub']);
  expect(described({ disposition: { hearing_impaired: 1, clean_effects: 0 } }).roles).toEqual(['clear-speech']);
  expect(described({ disposition: { default: 1 } })).toEqual({ title: undefined, roles: undefined });
});

test.each([
  ['Audio Description (English)', 'description'],
  ['Hörfilmfassung', 'description'],
  ["Director's Commentary", 'commentary'],
  ['Audiokommentar', 'commentary'],
])('the title %s is that of a role', (title, role) => {
  expect(titled(title)).toEqual({ title, roles: [role] });
});

test('a title that names only the format is none, and no title has control characters', () => {
  for (const title of ['Stereo', 'Surround 5.1', 'DTS-HD MA 5.1 @ 1509 kbps', '5.1', ' ']) {
    expect(titled(title).title).toBeUndefined();
  }
  expect(titled('Original\u0000\n "Stereo"').title).toBe('Original "Stereo"');
});

test('tracks beyond the limit of a result are left out with a decision', () => {
  const stream = { index: 1, codec_name: 'aac', channels: 2, sample_rate: '48000', time_base: '1/48000' };
  const track = describeAudio(stream as ProbeStream, { startPts: 0, endPts: 48_000 })!;
  expect(limitAudio([track])).toEqual({ audio: [track], decisions: [] });
  expect(limitAudio(Array(66).fill(track))).toMatchObject({
    audio: { length: 64 },
    decisions: [
      {
        code: 'audio_track_left_out',
        message: 'The file has 66 audio tracks: only the first 64 can be used.',
        facts: { tracks: 2 },
      },
    ],
  });
});
