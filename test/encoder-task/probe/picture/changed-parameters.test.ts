import { expect, test } from 'vitest';
import { changesParameters } from '../../../../encoder-task/probe/picture/changed-parameters.ts';
import { ranged, readMovie, smallMovie } from '../../support/clips/mp4.ts';

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
