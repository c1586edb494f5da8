import { expect, test } from 'vitest';
import { audioDamage, videoDamage } from '../../../../encoder-task/ffmpeg/output/damage-warnings.ts';
import { rejectedPackets } from '../../../../encoder-task/ffmpeg/output/rejected-packets.ts';
import type { EncodeVideoSpec } from '../../../../shared/protocol/jobs.ts';

const rejected = 'Error while decoding stream #0:0: Invalid data found when processing input\n';

const spec = {
  grid: { ticksPerFrame: 1, timescale: 25 },
  chunk: { startFrame: 250, endFrame: 500 },
} as EncodeVideoSpec;
const nothing = { rejectedPackets: 0, damagedFrames: 0 };

test('a rejected packet is recognised in the messages of each ffmpeg version', () => {
  expect(rejectedPackets('')).toBe(0);
  expect(rejectedPackets('[hevc @ 0x1] Could not find ref with POC 8\n')).toBe(0);
  expect(rejectedPackets(`[h264 @ 0x1] no frame!\n${rejected}`)).toBe(1);
  expect(rejectedPackets('[vist#0:0/h264 @ 0x1] Error submitting packet to decoder: Invalid data found\n')).toBe(1);
  expect(rejectedPackets(`${rejected}    Last message repeated 3 times\n`)).toBe(4);
  expect(rejectedPackets('[h264 @ 0x1] no frame!\n    Last message repeated 3 times\n')).toBe(0);
});

test('missing frames are reported with their number when frames are counted', () => {
  expect(videoDamage(spec, { ...nothing, decodedFrames: 250, rejectedPackets: 1 })).toEqual([]);
  expect(videoDamage(spec, { ...nothing, decodedFrames: 238 })).toEqual([
    'Between 10.0 s and 20.0 s, 12 of 250 frames cannot be decoded: the previous frame is repeated instead.',
  ]);
  expect(videoDamage(spec, { ...nothing, decodedFrames: 252 })).toEqual([
    'Between 10.0 s and 20.0 s, the file decodes to 252 frames instead of 250: the extra frames are dropped.',
  ]);
});

test('rejected packets are reported when frames are selected by time', () => {
  const warning = 'Between 10.0 s and 20.0 s, some frames cannot be decoded: the previous frame is repeated instead.';
  expect(videoDamage(spec, { ...nothing, decodedFrames: null, rejectedPackets: 2 })).toEqual([warning]);
  expect(videoDamage(spec, { ...nothing, decodedFrames: null })).toEqual([]);
});

test('partly decoded frames are reported when no frame is missing', () => {
  expect(videoDamage(spec, { decodedFrames: 250, rejectedPackets: 0, damagedFrames: 3 })).toEqual([
    'Between 10.0 s and 20.0 s, the video is damaged in 3 places.',
  ]);
  expect(videoDamage(spec, { decodedFrames: 249, rejectedPackets: 1, damagedFrames: 1 })).toEqual([
    'Between 10.0 s and 20.0 s, 1 of 250 frames cannot be decoded: the previous frame is repeated instead.',
  ]);
});

test('one incomplete block of audio at an end is no damage', () => {
  expect(audioDamage({ stderrTail: rejected })).toEqual([]);
  expect(audioDamage({ stderrTail: rejected + rejected })).toEqual([
    'A part of the audio cannot be decoded and is silent.',
  ]);
});
