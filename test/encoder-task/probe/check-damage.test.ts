import { describe, expect, test } from 'vitest';
import { checkDamage } from '../../../encoder-task/probe/check-damage.ts';

type Found = Parameters<typeof checkDamage>[0];

/** Of a file whose header states 60 s, and 1500 frames if it has an index of them. */
function found({
  formatName = 'mov,mp4,m4a,3gp,3g2,mj2',
  listed = 1500,
  declaredFrames = 1500 as number | null,
  durationSeconds = 60,
  damagedPackets = 0,
}): Found {
  const video = { index: 0, codec_type: 'video', codec_name: 'h264' } as NonNullable<Found['video']>;
  const frames = {
    pts: new Float64Array(),
    isKey: new Uint8Array(),
    endBytes: new Float64Array(),
    lastDurationTicks: 1,
  };
  return {
    document: { format: { format_name: formatName, duration: '60.0' }, streams: [video] } as Found['document'],
    video,
    index: {
      video: { frames, bytes: 0, listed },
      audio: new Map(),
      damagedPackets,
      declaredFrames,
      clockSections: [],
      endsAtNextRecording: false,
      editShifts: [],
    },
    durationSeconds,
  };
}

test('a sound file has no warnings', () => {
  expect(checkDamage(found({}))).toEqual([]);
  expect(checkDamage(found({ durationSeconds: 60.9 }))).toEqual([]);
});

describe('a file that ends early', () => {
  test('is taken with a warning when it lacks little', () => {
    expect(checkDamage(found({ listed: 1480, durationSeconds: 59.2 }))).toEqual([
      'The file ends early: it has 1480 of its 1500 frames. The video ends after the last of them.',
    ]);
  });

  test('is refused when it lacks more than a twentieth of what its index lists', () => {
    expect(() => checkDamage(found({ listed: 1400 }))).toThrow(
      expect.objectContaining({
        code: 'INPUT_TRUNCATED',
        fatal: true,
        message: 'The file ends early: it has 1400 of its 1500 frames. Upload the whole file again.',
      }),
    );
  });
});

test('a file that lists no frames ahead of them lacks none', () => {
  expect(checkDamage(found({ formatName: 'avi', listed: 68, declaredFrames: null }))).toEqual([]);
});

test('a header that states another duration than the packets is not believed', () => {
  expect(checkDamage(found({ formatName: 'matroska,webm', durationSeconds: 30 }))).toEqual([
    'The file declares a duration of 60 s, but contains 30 s, which is used.',
  ]);
  // a transport stream states none, ffprobe guesses it
  expect(checkDamage(found({ formatName: 'mpegts', durationSeconds: 30 }))).toEqual([]);
});

test.each([
  ['subtitles that last as long', { index: 1, codec_type: 'subtitle', duration: '60.0' }, 0],
  ['a second picture of an unknown length', { index: 1, codec_type: 'video' }, 0],
  ['data that ends with the rest', { index: 1, codec_type: 'data', duration: '30.0' }, 1],
  ['a cover', { index: 1, codec_type: 'video', disposition: { attached_pic: 1 } }, 1],
])('beside %s, a stated duration is explained or not', (_, stream, warnings) => {
  const file = found({ durationSeconds: 30 });
  file.document.streams.push(stream);
  expect(checkDamage(file)).toHaveLength(warnings);
});

test('packets that the container marks as broken are told of', () => {
  expect(checkDamage(found({ formatName: 'mpegts', damagedPackets: 3 }))).toEqual([
    'The file is damaged: 3 of its packets are incomplete. Video or audio may be interrupted there.',
  ]);
});
