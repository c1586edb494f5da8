import { expect, test } from 'vitest';
import { audioDamage, videoDamage } from '../../../encoder-task/ffmpeg/damage-warnings.ts';
import { refusedPackets } from '../../../encoder-task/ffmpeg/refused-packets.ts';
import type { EncodeVideoSpec } from '../../../shared/jobs.ts';

const refused = 'Error while decoding stream #0:0: Invalid data found when processing input\n';

const spec = (formatName: string, seekSeconds: number | null) =>
  ({
    source: { formatName },
    grid: { ticksPerFrame: 1, timescale: 25 },
    chunk: { startFrame: 250, endFrame: 500, seekSeconds },
  }) as EncodeVideoSpec;
const mp4 = spec('mov,mp4,m4a,3gp,3g2,mj2', 9);
const transportStream = spec('mpegts', 0);

test('a refused packet is known by what each ffmpeg says of it', () => {
  expect(refusedPackets('')).toBe(0);
  expect(refusedPackets('[hevc @ 0x1] Could not find ref with POC 8\n')).toBe(0);
  expect(refusedPackets(`[h264 @ 0x1] no frame!\n${refused}`)).toBe(1);
  expect(refusedPackets('[vist#0:0/h264 @ 0x1] Error submitting packet to decoder: Invalid data found\n')).toBe(1);
  expect(refusedPackets(`${refused}    Last message repeated 3 times\n`)).toBe(4);
  expect(refusedPackets('[h264 @ 0x1] no frame!\n    Last message repeated 3 times\n')).toBe(0);
});

test('frames that are counted and lack are told by their number', () => {
  expect(videoDamage(mp4, { decodedFrames: 250, stderrTail: refused })).toEqual([]);
  expect(videoDamage(mp4, { decodedFrames: 238, stderrTail: '' })).toEqual([
    'Between 10.0 s and 20.0 s, 12 of 250 frames cannot be decoded: the frame before stands in for each.',
  ]);
  expect(videoDamage(mp4, { decodedFrames: 252, stderrTail: '' })).toEqual([
    'Between 10.0 s and 20.0 s, the file decodes to 252 frames instead of 250: those too many are left out.',
  ]);
});

test('frames that are picked by time are told by what the decoder refused, unless it began amid a GOP', () => {
  const picked = { decodedFrames: null, stderrTail: refused };
  const warning = 'Between 10.0 s and 20.0 s, some frames cannot be decoded: the frame before stands in for each.';
  expect(videoDamage(mp4, picked)).toEqual([warning]);
  expect(videoDamage(mp4, { ...picked, stderrTail: '' })).toEqual([]);
  expect(videoDamage(transportStream, picked)).toEqual([]);
  expect(videoDamage(spec('mpegts', null), picked)).toEqual([warning]);
});

test('one block of sound that is cut at an end is no damage', () => {
  expect(audioDamage({ stderrTail: refused })).toEqual([]);
  expect(audioDamage({ stderrTail: refused + refused })).toEqual([
    'A part of the sound cannot be decoded: it is silent there.',
  ]);
});
