import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unneededRanges } from '../../../encoder-task/source/unneeded-ranges.ts';
import { box, packetLines, ranged, readMovie, smallMovie } from '../support/clips/mp4.ts';

const read = (bytes: Buffer) => readMovie(ranged(bytes).read);

test('a plain movie is read', async () => {
  expect(packetLines((await read(smallMovie()))!)).toEqual({ 0: ['0 K _ 10 28', '1 _ _ 10 38', '2 _ _ 10 48'] });
});

describe('inconsistent tables are rejected', () => {
  const huge = 0xffff_ffff;
  const tables: [string, Buffer][] = [
    ['more sizes than the table has', smallMovie({ stsz: [0, 0, huge, 10, 10, 10] })],
    ['billions of samples of one size', smallMovie({ stsz: [0, 1, huge], stsc: [0, 1, 1, huge, 1] })],
    ['more durations than the table has', smallMovie({ stts: [0, huge, 3, 1] })],
    ['no durations', smallMovie({ stts: [0, 0] })],
    ['a duration that is a negative correction', smallMovie({ stts: [0, 1, 3, 0xffff_fff0] })],
    ['more chunks than the table has', smallMovie({ stco: [0, huge, 28] })],
    ['a chunk without samples', smallMovie({ stsc: [0, 1, 1, 0, 1] })],
    ['chunks that start with the second run', smallMovie({ stsc: [0, 1, 2, 3, 1] })],
    ['fewer samples in chunks than sizes', smallMovie({ stsc: [0, 1, 1, 2, 1] })],
    ['more samples in chunks than sizes', smallMovie({ stsc: [0, 1, 1, huge, 1] })],
    ['composition offsets out of range', smallMovie({ ctts: [0, 1, 3, 0x7000_0000] })],
    ['a negative count of composition offsets', smallMovie({ ctts: [0, 1, huge, 0] })],
    ['an empty list of key frames', smallMovie({ stss: [0, 0] })],
    ['an unlimited number of edits', smallMovie({}, { elst: box('elst', 0, huge, 3, 0, 0x10000) })],
    ['a thousand edits', smallMovie({}, { elst: box('elst', 0, 1000, ...Array(3000).fill(1)) })],
    ['a moov box with too many boxes', box('moov', Buffer.concat(Array(200_000).fill(box('free'))))],
  ];
  test.each(tables)('%s', async (_, bytes) => {
    expect(await read(bytes)).toBeUndefined();
  });
});

test('all tracks together cannot have more samples than the file has room for', async () => {
  const claims = { stts: [0, 1, 1000, 1], stsz: [0, 1, 1000], stsc: [0, 1, 1, 1000, 1] };
  const one = await read(smallMovie(claims));
  expect(one?.tracks[0]?.samples.length).toBe(1000);
  expect(await read(withTracks(smallMovie(claims), 10))).toBeUndefined();
});

/** A movie with `count` copies of its track. */
function withTracks(movie: Buffer, count: number): Buffer {
  const moovStart = movie.indexOf('moov', 0, 'latin1') - 4;
  const trakStart = movie.indexOf('trak', moovStart, 'latin1') - 4;
  const traks = Array.from({ length: count }, () => movie.subarray(trakStart));
  return Buffer.concat([movie.subarray(0, moovStart), box('moov', movie.subarray(moovStart + 8, trakStart), ...traks)]);
}

test('offsets after the end of the file are no samples, and overlapping samples are always fetched', async () => {
  expect(packetLines((await read(smallMovie({ stco: [0, 1, 1_000_000] })))!)).toEqual({ 0: [] });
  const overlapping = smallMovie(
    { stts: [0, 1, 30, 1], stsz: [0, 100_000, 30], stsc: [0, 1, 1, 1, 1], stco: [0, 30, ...Array(30).fill(28)] },
    { mediaBytes: 3_000_000 },
  );
  expect(unneededRanges((await read(overlapping))!, { streamIndexes: [0], keyFramesOnly: true })).toEqual([]);
});

test('random changes of bytes never make it throw', async () => {
  const sound = smallMovie({ ctts: [0, 2, 1, 1, 2, 0] }, { elst: box('elst', 0, 1, 3, 1, 0x10000) });
  await fc.assert(
    fc.asyncProperty(fc.nat(sound.length - 1), fc.nat(255), fc.nat(255), async (at, value, next) => {
      const bytes = Buffer.from(sound);
      bytes[at] = value;
      bytes[(at + 1) % bytes.length] = next;
      const movie = await read(bytes);
      if (movie) packetLines(movie);
    }),
    { numRuns: 2000 },
  );
});
