import { expect, test } from 'vitest';
import { errorSeconds, freshSeconds } from '../../../src/cloudfront/cache/freshness.ts';

const limits = { minSeconds: 0, defaultSeconds: 60, maxSeconds: 3600 };
const nowMs = Date.parse('2026-11-22T10:00:00Z');

test.each([
  [undefined, {}, 60],
  ['max-age=5', {}, 5],
  ['public, max-age=5, s-maxage=7', {}, 7],
  ['public, max-age=31536000, immutable', {}, 3600],
  ['max-age=5', { minSeconds: 10 }, 10],
  ['no-cache', {}, 0],
  ['no-store', {}, undefined],
  ['private, max-age=5', {}, undefined],
  ['no-store', { minSeconds: 10 }, 10],
  ['max-age=5', { maxSeconds: 0 }, undefined],
])('Cache-Control %s with the limits %o is fresh for %s seconds', (cacheControl, changes, seconds) => {
  const headers = { 'cache-control': cacheControl };
  expect(freshSeconds(headers, { ...limits, ...changes }, nowMs)).toBe(seconds);
});

test('Expires counts without max-age', () => {
  expect(freshSeconds({ expires: 'Sun, 22 Nov 2026 10:00:30 GMT' }, limits, nowMs)).toBe(30);
  expect(freshSeconds({ expires: 'Sun, 22 Nov 2026 10:00:30 GMT', 'cache-control': 'max-age=5' }, limits, nowMs)).toBe(
    5,
  );
});

test.each([
  [404, {}, 10],
  [404, { 'cache-control': 'no-store' }, 10],
  [404, { 'cache-control': 'max-age=30' }, 30],
  [403, {}, undefined],
  [400, {}, undefined],
  [401, {}, undefined],
  [416, {}, undefined],
  [503, {}, 10],
])('the error %i with %o is kept for %s seconds', (status, headers, seconds) => {
  expect(errorSeconds(status, headers, new Map([[403, 0]]))).toBe(seconds);
});
