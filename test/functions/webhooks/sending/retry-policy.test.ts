import { expect, test } from 'vitest';
import { isGivenUp, retryAt, retryDelays } from '../../../../functions/webhooks/sending/retry-policy.ts';

const minute = 60_000;
const now = Date.parse('2026-11-22T12:00:00Z');
const delayAfter = (tries: number, options = {}) => {
  const at = retryAt(tries, now, { random: () => 0, ...options });
  return at === undefined ? undefined : at - now;
};

test('a delivery has ten attempts over three days', () => {
  const hours = (count: number) => count * 60 * minute;
  const delays = Array.from({ length: 10 }, (_, index) => delayAfter(index + 1));
  expect(delays).toEqual([5000, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map(hours), undefined]);
});

test('the first retry is after five seconds; to the others up to a tenth is added', () => {
  for (const tries of retryDelays.keys()) {
    const most = delayAfter(tries + 1, { random: () => 1 })!;
    expect(most).toBe(tries === 0 ? 5000 : Math.round(retryDelays[tries]! * 1.1));
  }
});

test.each([
  ['120', 2 * minute],
  ['1', 5000],
  ['Sun, 22 Nov 2026 12:10:00 GMT', 10 * minute],
  ['Sun, 22 Nov 2026 11:00:00 GMT', 5000],
  ['soon', 5000],
  ['-5', 5000],
  ['999999999', 24 * 60 * minute],
])('an endpoint that asks for Retry-After %s is tried again after %i ms', (retryAfter, delay) => {
  expect(delayAfter(1, { retryAfter })).toBe(delay);
});

test('Retry-After makes a wait longer, never shorter, and gives no further attempt', () => {
  expect(delayAfter(3, { retryAfter: '10' })).toBe(30 * minute);
  expect(delayAfter(10, { retryAfter: '10' })).toBeUndefined();
});

test('a webhook is given up after five days of failures', () => {
  const ago = (hours: number) => new Date(now - hours * 60 * minute).toISOString();
  expect(isGivenUp(null, now)).toBe(false);
  expect(isGivenUp(ago(119), now)).toBe(false);
  expect(isGivenUp(ago(120), now)).toBe(true);
});
