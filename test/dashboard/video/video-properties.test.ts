import { expect, test } from 'vitest';
import {
  canProcessAgain,
  failureOf,
  notesOf,
  type Output,
  plays,
  pollSeconds,
  progressOf,
  propertiesOf,
  type Stream,
  sourceChanges,
  type Video,
} from '../../../dashboard/video/video-properties.ts';

const format = { bitrate: (value: number) => `${value} bit/s`, number: String };

test('the facts of a finished file come before what was asked for', () => {
  const stream = {
    width: 854,
    height: 480,
    channels: null,
    language: null,
    input_params: { codec: 'h264' },
    meta: { codecs: 'avc1.64001f', profile: 'High', level: '3.1', bitrate: 1400, frame_rate: 29.97 },
  } as unknown as Stream;
  expect(propertiesOf(stream, format)).toEqual([
    { name: 'size', value: '854 × 480' },
    { name: 'codec', value: 'avc1.64001f' },
    { name: 'profile', value: 'High 3.1' },
    { name: 'bitrate', value: '1400 bit/s' },
    { name: 'frameRate', value: '29.97 fps' },
  ]);
  expect(propertiesOf({ ...stream, meta: {} }, format)[1]).toEqual({ name: 'codec', value: 'h264' });
});

test('an unknown language is none', () => {
  const stream = { width: null, height: null, channels: 2, input_params: {}, meta: {}, language: 'und' };
  expect(propertiesOf(stream as unknown as Stream, format)).toEqual([{ name: 'channels', value: '2' }]);
});

const outputs = [{ progress: 50 }, { progress: 100 }] as Video['outputs'];

test('progress is the mean of the outputs', () => {
  expect(progressOf({ status: 'running', outputs })).toBe(0.75);
  expect(progressOf({ status: 'pending', outputs: [] })).toBe(0);
  expect(progressOf({ status: 'completed', outputs })).toBe(1);
});

test('a video in work is asked for often, also while one of its streams is edited', () => {
  const video = (status: string, stream: string) => ({ status, streams: [{ status: stream }] }) as Video;
  expect(pollSeconds(video('running', 'running'))).toBe(2);
  expect(pollSeconds(video('completed', 'running'))).toBe(2);
  expect(pollSeconds(video('completed', 'completed'))).toBe(15);
});

test('the sources are read again when an output plays, and again when it is completed', () => {
  const output = (playable_at: string | null, completed_at: string | null) => ({ playable_at, completed_at }) as Output;
  const [early, late] = ['2026-11-22T10:00:00.000000Z', '2026-11-22T10:09:00.000000Z'];
  expect(
    [output(null, null), output(early, null), output(early, late)].map((one) =>
      sourceChanges([one, output(null, null)]),
    ),
  ).toEqual([0, 1, 2]);
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
