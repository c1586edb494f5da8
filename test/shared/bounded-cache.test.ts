import { expect, test } from 'vitest';
import { createBoundedCache } from '../../shared/bounded-cache.ts';

test('what was set last is kept, and what was set longest ago goes first', () => {
  const recent = createBoundedCache<number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const) {
    recent.set(key, value);
  }
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4]);
});
