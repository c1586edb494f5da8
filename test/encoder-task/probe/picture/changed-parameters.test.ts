import { expect, test } from 'vitest';
import { changesParameters } from '../../../../encoder-task/probe/picture/changed-parameters.ts';
import { box, ranged, readMovie, smallMovie } from '../../support/clips/mp4.ts';

test.each([
  [1, false],
  [2, true],
])('whether the frames of an MP4 with %i sample descriptions may change: %s', async (entries, changes) => {
  const bytes = smallMovie({}, { entries });
  const source = { totalBytes: bytes.length, read: async (start: number, end: number) => bytes.subarray(start, end) };
  expect(await changesParameters(source, await readMovie(ranged(bytes).read), 0)).toBe(changes);
});

test('a damaged sample entry does not fail the video', async () => {
  const bytes = smallMovie({}, { inEntry: Buffer.from('\xff\xff\xff\xffavcC', 'latin1') });
  const source = { totalBytes: bytes.length, read: async (start: number, end: number) => bytes.subarray(start, end) };
  expect(await changesParameters(source, await readMovie(ranged(bytes).read), 0)).toBe(false);
});

const atByte = (at: number): Buffer => Buffer.concat([Buffer.alloc(at), Buffer.from([0xff])]);

test.each([
  ['avcC', atByte(4), Buffer.from([0x67, 1, 2, 3, 4])],
  ['hvcC', atByte(21), Buffer.from([0x42, 1, 2, 3, 4])],
])('a key frame with sequence parameters that are not in %s may have another size', async (type, beginning, unit) => {
  const changesFrom = async (known: Buffer) => {
    const bytes = smallMovie({}, { inEntry: box(type, Buffer.concat([beginning, known])) });
    const sample = bytes.indexOf('mdat') + 4;
    bytes.writeUInt32BE(unit.length, sample);
    unit.copy(bytes, sample + 4);
    const source = { totalBytes: bytes.length, read: async (start: number, end: number) => bytes.subarray(start, end) };
    return changesParameters(source, await readMovie(ranged(bytes).read), 0);
  };
  expect(await changesFrom(unit)).toBe(false);
  expect(await changesFrom(unit.map((byte, at) => (at === 4 ? byte + 1 : byte)) as Buffer)).toBe(true);
});
