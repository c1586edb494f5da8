import { describe, expect, test } from 'vitest';
import { checkDamage } from '../../../encoder-task/probe/check-damage.ts';

type Found = Parameters<typeof checkDamage>[0];

/** The index of a file whose header declares 60 s, and 1500 frames if it has an index. */
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
      survey: new Map(),
    },
    durationSeconds,
  };
}

test('a valid file has no warnings', () => {
  expect(checkDamage(found({}))).toEqual([]);
  expect(checkDamage(found({ durationSeconds: 60.9 }))).toEqual([]);
});

describe('a file that ends early', () => {
  test('is accepted with a warning when few frames are missing', () => {
    expect(checkDamage(found({ listed: 1480, durationSeconds: 59.2 }))).toEqual([
      'The file ends early: it has 1480 of its 1500 frames. The video ends after the last of them.',
    ]);
  });

  test('is rejected when more than a twentieth of the frames in its index are missing', () => {
    expect(() => checkDamage(found({ listed: 1400 }))).toThrow(
      expect.objectContaining({
        code: 'INPUT_TRUNCATED',
        fatal: true,
        message: 'The file ends early: it has 1400 of its 1500 frames. Upload the whole file again.',
      }),
    );
  });
});

test('a file without an index of frames has no missing frames', () => {
  expect(checkDamage(found({ formatName: 'avi', listed: 68, declaredFrames: null }))).toEqual([]);
});

test('the duration of the packets is used instead of that of the header', () => {
  expect(checkDamage(found({ formatName: 'matroska,webm', durationSeconds: 30 }))).toEqual([
    'The file declares a duration of 60 s, but contains 30 s, which is used.',
  ]);
  // MPEG-TS has no declared duration, ffprobe estimates it
  expect(checkDamage(found({ formatName: 'mpegts', durationSeconds: 30 }))).toEqual([]);
});

test('data that declares the whole length does not hide that an MXF ends early', () => {
  const file = found({ formatName: 'mxf', declaredFrames: null, durationSeconds: 0.35 });
  file.document.streams.push({ index: 1, codec_type: 'data', duration: '60.0' });
  expect(checkDamage(file)).toEqual(['The file declares a duration of 60 s, but contains 0.4 s, which is used.']);
});

test('parts at another speed are played at normal speed', () => {
  const file = found({});
  const edits = [
    { segmentDuration: 25, mediaTime: 0 },
    { segmentDuration: 25, mediaTime: 25, speed: 0.5 },
  ];
  file.index.movie = { tracks: [{ edits }] } as unknown as NonNullable<Found['index']['movie']>;
  expect(checkDamage(file)).toEqual([
    'A part of the file should be played at 0.5 × its speed. It is played at normal speed.',
  ]);
});

test.each([
  ['subtitles with that duration', { index: 1, codec_type: 'subtitle', duration: '60.0' }, 0],
  ['a second video of unknown duration', { index: 1, codec_type: 'video' }, 0],
  ['data that ends with the rest', { index: 1, codec_type: 'data', duration: '30.0' }, 1],
  ['a cover', { index: 1, codec_type: 'video', disposition: { attached_pic: 1 } }, 1],
])('with %s, a warning about the declared duration is given or not', (_, stream, warnings) => {
  const file = found({ durationSeconds: 30 });
  file.document.streams.push(stream);
  expect(checkDamage(file)).toHaveLength(warnings);
});

test('packets that the container marks as incomplete are reported', () => {
  expect(checkDamage(found({ formatName: 'mpegts', damagedPackets: 3 }))).toEqual([
    'The file is damaged: 3 of its packets are incomplete. Video or audio may be interrupted there.',
  ]);
});
