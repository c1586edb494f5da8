import { expect, test } from 'vitest';
import { createBoundedCache } from '../../../functions/common/bounded-cache.ts';

test('the keys set last are kept, and the oldest is dropped', () => {
  const cache = createBoundedCache<number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const) {
    cache.set(key, value);
  }
  expect(['a', 'b', 'c'].map(cache.get)).toEqual([3, undefined, 4]);
});
