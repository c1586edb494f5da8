import { describe, expect, test } from 'vitest';
import { jobOrder, readJobOrder, readUserOrder, userOrder } from '../../../../functions/table/items/queue-keys.ts';
import { joinVirtualTime, mustRecord, served } from '../../../../functions/table/queue/virtual-time.ts';

const user = { userUlid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3', servedSeconds: 120, virtualTimeSeconds: 80 };

describe('a user who joins', () => {
  test('starts where the one is who is next, not where time was left', () => {
    expect(joinVirtualTime(0, 500)).toBe(500);
  });

  test('goes on from the own time when nobody waits', () => {
    expect(joinVirtualTime(120, undefined)).toBe(120);
  });

  test('waits a minute at most for having had more', () => {
    expect(joinVirtualTime(530, 500)).toBe(530);
    expect(joinVirtualTime(90_000, 500)).toBe(560);
  });
});

describe('the order', () => {
  test('of users is that of their time, whatever its digits', () => {
    const texts = [9.5, 100, 36_000, 0].map((servedSeconds) => userOrder({ ...user, servedSeconds }));
    expect(texts.toSorted().map((text) => readUserOrder(text).servedSeconds)).toEqual([0, 9.5, 100, 36_000]);
    expect(readUserOrder(userOrder(user))).toEqual(user);
  });

  test('of jobs is that of their turn', () => {
    const texts = [400, 40, 0].map((virtualTimeSeconds) =>
      jobOrder({ virtualTimeSeconds, estimateSeconds: 39.2, attempt: 2 }),
    );
    expect(texts.toSorted().map(readJobOrder)).toEqual([
      { virtualTimeSeconds: 0, estimateSeconds: 40, attempt: 2 },
      { virtualTimeSeconds: 40, estimateSeconds: 40, attempt: 2 },
      { virtualTimeSeconds: 400, estimateSeconds: 40, attempt: 2 },
    ]);
  });
});

describe('what a user was given', () => {
  test('counts by its estimate, and the turn never goes back', () => {
    expect(served(user, { virtualTimeSeconds: 40, estimateSeconds: 30 })).toEqual({ ...user, servedSeconds: 150 });
    expect(served(user, { virtualTimeSeconds: 120, estimateSeconds: 30 }).virtualTimeSeconds).toBe(120);
  });

  test('is noted each time beside others, and now and then for one alone', () => {
    const after = served(user, { virtualTimeSeconds: 100, estimateSeconds: 30 });
    expect(mustRecord(user, after, 2)).toBe(true);
    expect(mustRecord(user, after, 1)).toBe(false);
    expect(mustRecord(user, { ...after, virtualTimeSeconds: 110 }, 1)).toBe(true);
  });
});
