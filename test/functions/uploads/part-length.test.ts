import { expect, test } from 'vitest';
import { fittingPartSizes } from '../../../functions/uploads/part-length.ts';

const mebibyte = 2 ** 20;
const of = (fileMebibytes: number, number: number, mebibytes: number, known?: number[]) =>
  fittingPartSizes(
    fileMebibytes * mebibyte,
    { number, bytes: mebibytes * mebibyte },
    known?.map((size) => size * mebibyte),
  ).map((size) => size / mebibyte);

test.each([
  ['the first part is that of all', of(17, 1, 5), [5]],
  ['a file of one part is its size', of(3, 1, 3), [3]],
  ['a short part is the last one', of(17, 4, 2), [5]],
  ['a long part can be the last one of larger parts, or another one', of(17, 3, 5), [5, 6]],
  ['the only part is not longer than the file', of(3, 1, 4), []],
  ['parts but the last have 5 MiB', of(17, 1, 4), []],
  ['a part behind the end of the file', of(10, 3, 5), []],
  ['a last part that leaves no whole parts before it', of(17, 4, 4), []],
  ['another part decides', of(17, 1, 6, [5, 6]), [6]],
  ['parts of another size are refused', of(17, 1, 7, [6]), []],
])('%s', (_, sizes, expected) => {
  expect(sizes).toEqual(expected);
});

test('the parts that fit to one size are the file, so no client can store more of it', () => {
  for (const sizes of [[5], [6], [16]]) {
    let stored = 0;
    for (let number = 1; number <= 10; number++) {
      const lengths = Array.from({ length: 20 }, (_, index) => index + 1).filter(
        (length) => of(17, number, length, sizes).length > 0,
      );
      stored += Math.max(0, ...lengths);
    }
    expect(stored).toBe(17);
  }
});
