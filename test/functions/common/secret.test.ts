import { expect, test } from 'vitest';
import { equalSecrets, randomBase62 } from '../../../functions/common/secret.ts';

test('random texts have letters and digits only, and all of them', () => {
  const text = randomBase62(10_000);
  expect(text).toMatch(/^[0-9A-Za-z]{10000}$/);
  expect(new Set(text).size).toBe(62);
});

test('secrets are equal when all of them is', () => {
  expect(equalSecrets('abc', 'abc')).toBe(true);
  expect(equalSecrets('abc', 'abd')).toBe(false);
  expect(equalSecrets('abc', 'abcd')).toBe(false);
});
