import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRecentValue } from '../../../../functions/table/nodes/recent-value.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

test('a value is read again when it is too old or was forgotten, and concurrent calls share a read', async () => {
  const recent = createRecentValue<number>(5000);
  let reads = 0;
  const load = async () => ++reads;
  expect(await Promise.all([recent.read(load), recent.read(load)])).toEqual([1, 1]);
  vi.advanceTimersByTime(4999);
  expect(await recent.read(load)).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await recent.read(load)).toBe(2);
  recent.forget();
  expect(await recent.read(load)).toBe(3);
});

test('a failed read is not kept', async () => {
  const recent = createRecentValue<number>(5000);
  await expect(recent.read(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await recent.read(async () => 1)).toBe(1);
});
