import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rescale } from '../../../shared/media/rational.ts';

const milliseconds = { num: 1, den: 1000 };

test.each([
  [1001, { num: 1, den: 30_000 }, { num: 1, den: 90_000 }, 3003],
  [1, milliseconds, { num: 1, den: 90_000 }, 90],
  [500, milliseconds, { num: 1, den: 1 }, 1],
  [-500, milliseconds, { num: 1, den: 1 }, -1],
  [499, milliseconds, { num: 1, den: 1 }, 0],
  [-499, milliseconds, { num: 1, den: 1 }, 0],
])('%i ticks of %j are %j: %i', (ticks, from, to, expected) => {
  expect(rescale(ticks, from, to) + 0).toBe(expected);
});

test('times far from zero are exact where floating point is not', () => {
  // 2^50 ticks of 1/90,000 s, in frames of 1001/60,000 s: the product has more than 53 bits.
  expect(rescale(2 ** 50, { num: 1, den: 90_000 }, { num: 1001, den: 60_000 })).toBe(749_850_087_807);
});

test('converting to a finer clock and back changes nothing', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (ticks) => {
      const small = Math.trunc(ticks / 1000);
      const finer = rescale(small, milliseconds, { num: 1, den: 90_000 });
      expect(rescale(finer, { num: 1, den: 90_000 }, milliseconds) + 0).toBe(small + 0);
    }),
  );
});
