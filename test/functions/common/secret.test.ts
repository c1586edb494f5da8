import { expect, test } from 'vitest';
import { equalSecrets, randomBase62 } from '../../../functions/common/secret.ts';

test('random texts contain all letters and digits, and nothing else', () => {
  const text = randomBase62(10_000);
  expect(text).toMatch(/^[0-9A-Za-z]{10000}$/);
  expect(new Set(text).size).toBe(62);
});

test('secrets are equal only if they are equal as a whole', () => {
  expect(equalSecrets('abc', 'abc')).toBe(true);
  expect(equalSecrets('abc', 'abd')).toBe(false);
  expect(equalSecrets('abc', 'abcd')).toBe(false);
});
