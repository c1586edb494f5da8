import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type AvcTrack, readAvcTrack } from '../../../encoder-task/copy/avc-track.ts';
import { frameOrder } from '../../../encoder-task/copy/frame-order.ts';
import { createSampleChecker } from '../../../encoder-task/copy/sample-checker.ts';
import type { MovieTrack } from '../../../encoder-task/isobmff/track.ts';
import { ranged, readMovie } from '../support/clips/mp4.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';

const files = useStoreAndFolder();
let samples: Buffer[];
let avc: AvcTrack;
let track: MovieTrack;

/** Two GOPs of ten frames, with B-frames that others refer to. */
beforeAll(async () => {
  const gops = ['-g', '10', '-bf', '3', '-x264-params', 'b-pyramid=normal:b-adapt=0', '-flags', '+cgop'];
  const bytes = await readFile(await makeClip(files.path('clip.mp4'), '25', 0.8, ...h264, ...gops));
  const movie = (await readMovie(ranged(bytes).read))!;
  track = movie.tracks[0]!;
  avc = readAvcTrack(movie.file.moov, 0);
  samples = Array.from({ length: track.samples.length }, (_, n) => {
    const position = track.samples.positions[n]!;
    return bytes.subarray(position, position + track.samples.bytes[n]!);
  });
});

const checked = (list: Buffer[]) => list.map(createSampleChecker(avc));
const isReference = (sample: Buffer): boolean => (sample[4]! & 0x60) !== 0;

test('the pictures of a clip are presented in the order of its container', () => {
  const pictures = checked(samples);
  expect(pictures.flatMap(({ isIdr }, n) => (isIdr ? [n] : []))).toEqual([0, 10]);
  const { frames, starts, delayFrames } = frameOrder(track);
  expect(starts).toEqual(expect.arrayContaining([0, 10]));
  expect(delayFrames).toBe(2);
  for (const first of [0, 10]) {
    const gop = pictures.slice(first, first + 10).map(({ order }, n) => ({ order, frame: frames[first + n]! }));
    const byOrder = gop.toSorted((a, b) => a.order - b.order).map(({ frame }) => frame);
    expect(byOrder).toEqual(Array.from({ length: 10 }, (_, n) => first + n));
  }
});

test('a missing reference picture is found, and a missing picture that none refers to changes nothing', () => {
  const reference = samples.findIndex((sample, n) => n > 0 && isReference(sample));
  const other = samples.findIndex((sample, n) => n > 0 && !isReference(sample));
  expect(() => checked(samples.toSpliced(reference, 1))).toThrow('a reference picture is missing');
  expect(checked(samples.toSpliced(other, 1))).toHaveLength(19);
});

test.each<[message: string, change: (sample: Buffer) => Buffer]>([
  ['a NAL unit is cut off', (sample) => Buffer.concat([sample, Buffer.alloc(3, 1)])],
  ['a NAL unit has an impossible length', (sample) => sample.subarray(0, -1)],
  ['bytes that cannot be in one', (sample) => Buffer.concat([sample.subarray(0, -4), Buffer.alloc(4)])],
  ['not one picture in a sample', (sample) => Buffer.concat([sample, sample])],
  ['a NAL unit of type 20', (sample) => Buffer.concat([sample, Buffer.from([0, 0, 0, 2, 0x74, 1])])],
  ['other parameter sets', (sample) => Buffer.concat([Buffer.from([0, 0, 0, 4, 0x67, 1, 2, 3]), sample])],
  ['a sample without a picture', () => Buffer.from([0, 0, 0, 2, 9, 0x10])],
])('%s: %#', (message, change) => {
  expect(() => checked(samples.with(3, change(samples[3]!)))).toThrow(message);
});

test('decoding begins at an IDR picture, whose slices refer to no others', () => {
  expect(() => checked(samples.slice(1))).toThrow('the first sample is no IDR picture');
  const disguised = Buffer.from(samples[1]!);
  disguised[4] = (disguised[4]! & 0xe0) | 5;
  expect(() => checked([disguised])).toThrow('refers to others');
});
