import { expect, test } from 'vitest';
import { formatBitrate, parseBitrate } from '../../../functions/templates/bitrate.ts';

test.each([
  ['2500k', 2_500_000],
  ['2500K', 2_500_000],
  ['5M', 5_000_000],
  ['2.5m', 2_500_000],
  ['1.234k', 1234],
  ['800', 800],
])('%s is %i bit/s', (text, bitrateBps) => {
  expect(parseBitrate(text)).toBe(bitrateBps);
});

test.each([
  [2_500_000, '2500k'],
  [1_499_600, '1500k'],
  [800, '1k'],
  [1, '1k'],
])('%i bit/s is written %s', (bitrateBps, text) => {
  expect(formatBitrate(bitrateBps)).toBe(text);
});
