import { expect, test } from 'vitest';
import {
  canProcessAgain,
  failureOf,
  linksOf,
  notesOf,
  type Output,
  plays,
  pollSeconds,
  type Stream,
  sourceChanges,
  type Video,
} from '../../../dashboard/video/video-properties.ts';

test('links have the name of an output where two have its format, and pictures have links', () => {
  const source = { expires_at: null, media_type: '', status: 'completed' } as const;
  expect(
    linksOf({
      sources: [
        { ...source, format: 'hls', name: 'hls', url: '/hls' },
        { ...source, format: 'mp4', name: 'large', url: '/large' },
        { ...source, format: 'mp4', name: 'small', url: '/small' },
      ],
      poster_url: '/poster',
      storyboard_url: null,
      preview_url: null,
      thumbnails: [],
      captions: [],
    }),
  ).toEqual([
    { kind: 'hls', url: '/hls', isFile: false },
    { kind: 'mp4', url: '/large', isFile: true, name: 'large' },
    { kind: 'mp4', url: '/small', isFile: true, name: 'small' },
    { kind: 'poster', url: '/poster', isFile: false },
  ]);
});

test('a video in work is asked for often, also while one of its streams is edited', () => {
  const video = (status: string, stream: string) => ({ status, streams: [{ status: stream }] }) as Video;
  expect(pollSeconds(video('running', 'running'))).toBe(2);
  expect(pollSeconds(video('completed', 'running'))).toBe(2);
  expect(pollSeconds(video('completed', 'completed'))).toBe(15);
});

test('the sources are read again when an output plays, and again when it is completed', () => {
  const output = (playable_at: string | null, completed_at: string | null, ulid = 'O') =>
    ({ ulid, playable_at, completed_at }) as Output;
  const [early, late] = ['2026-11-22T10:00:00.000000Z', '2026-11-22T10:09:00.000000Z'];
  expect(
    [output(null, null), output(early, null), output(early, late)].map((one) =>
      sourceChanges([one, output(null, null)]),
    ),
  ).toEqual(['', 'O null', `O ${late}`]);
  expect(sourceChanges([output(early, late, 'P')])).not.toBe(sourceChanges([output(early, late)]));
  expect([plays({ playable_at: null }), plays({ playable_at: early })]).toEqual([false, true]);
});

test('a decision that is a warning too is shown once, and both have the text of their code', () => {
  const [late, damage] = ['The video starts 3.0 s after the audio.', 'A frame is damaged.'];
  const decisions = [
    { code: 'track_extended', message: late },
    { code: 'color_assumed', message: 'Assumed: matrix bt709.' },
  ];
  const stream = { meta: { warnings: [late, damage], decisions } } as unknown as Stream;
  expect(notesOf(stream, ({ code }) => code)).toEqual({
    warnings: [
      { sentence: 'track_extended', isOfService: false },
      { sentence: damage, isOfService: true },
    ],
    decisions: [{ sentence: 'color_assumed', isOfService: false }],
  });
  expect(notesOf({ meta: {} } as unknown as Stream, String)).toEqual({ warnings: [], decisions: [] });
});

test.each([
  ['INPUT_NOT_MEDIA: The file is text.', { code: 'INPUT_NOT_MEDIA', sentence: 'The file is text.', cause: 'file' }],
  [
    'QUOTA_EXCEEDED: No CPU time is left.',
    { code: 'QUOTA_EXCEEDED', sentence: 'No CPU time is left.', cause: 'quota' },
  ],
  ['OUTPUT_NO_STREAMS: None.', { code: 'OUTPUT_NO_STREAMS', sentence: 'None.', cause: 'template' }],
  ['INTERNAL: Something.', { code: 'INTERNAL', sentence: 'Something.', cause: 'service' }],
  ['The service gave no reason.', { sentence: 'The service gave no reason.', cause: 'service' }],
])('the reason %s has a cause', (reason, failure) => {
  expect(failureOf(reason)).toEqual(failure);
});

test('a video is processed again when its end can change, but not with a file that cannot be used', () => {
  const failed = (error_log: string) => ({ status: 'failed', streams: [{ type: 'original', error_log }], outputs: [] });
  expect(canProcessAgain(failed('INPUT_EMPTY: It is empty.') as unknown as Video)).toBe(false);
  expect(canProcessAgain(failed('INTERNAL: Oh.') as unknown as Video)).toBe(true);
  expect(canProcessAgain({ status: 'completed', streams: [], outputs: [] })).toBe(true);
  expect(canProcessAgain({ status: 'running', streams: [], outputs: [] })).toBe(false);
});
