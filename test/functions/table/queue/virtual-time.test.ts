import { describe, expect, test } from 'vitest';
import { jobOrder, readJobOrder, readUserOrder, userOrder } from '../../../../functions/table/items/queue-keys.ts';
import { inTurn, joinVirtualTime, mustRecord, served } from '../../../../functions/table/queue/virtual-time.ts';

const user = { userUlid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3', servedSeconds: 120, virtualTimeSeconds: 80 };

describe('a user who joins', () => {
  test('starts at the virtual time of the next user, not at an earlier one', () => {
    expect(joinVirtualTime(0, 500)).toBe(500);
  });

  test('continues at the own virtual time when no user waits', () => {
    expect(joinVirtualTime(120, undefined)).toBe(120);
  });

  test('waits at most a minute for an earlier surplus', () => {
    expect(joinVirtualTime(530, 500)).toBe(530);
    expect(joinVirtualTime(90_000, 500)).toBe(560);
  });
});

describe('the order', () => {
  test('of users is by virtual time, for any number of digits', () => {
    const texts = [9.5, 100, 36_000, 0].map((servedSeconds) => userOrder({ ...user, servedSeconds }));
    expect(texts.toSorted().map((text) => readUserOrder(text).servedSeconds)).toEqual([0, 9.5, 100, 36_000]);
    expect(readUserOrder(userOrder(user))).toEqual(user);
  });

  test('of users with urgent jobs comes before the others', () => {
    const urgent = { ...user, servedSeconds: 900, urgentAtMilliseconds: 1_795_000_000_123 };
    const order = userOrder(urgent);
    expect(order < userOrder(user)).toBe(true);
    expect(readUserOrder(order)).toEqual(urgent);
    expect(inTurn([urgent, user])).toEqual({ urgent: [urgent], all: [user, urgent] });
  });

  test('of jobs is by virtual time, urgent ones first', () => {
    const job = { estimateSeconds: 39.2, attempt: 2, isUrgent: false };
    const texts = [
      ...[400, 40, 0].map((virtualTimeSeconds) => jobOrder({ ...job, virtualTimeSeconds })),
      jobOrder({ ...job, virtualTimeSeconds: 800, isUrgent: true }),
    ];
    expect(texts.toSorted().map(readJobOrder)).toEqual([
      { virtualTimeSeconds: 800, estimateSeconds: 40, attempt: 2, isUrgent: true },
      { virtualTimeSeconds: 0, estimateSeconds: 40, attempt: 2, isUrgent: false },
      { virtualTimeSeconds: 40, estimateSeconds: 40, attempt: 2, isUrgent: false },
      { virtualTimeSeconds: 400, estimateSeconds: 40, attempt: 2, isUrgent: false },
    ]);
  });
});

describe('the service of a user', () => {
  test('counts by estimate, and the virtual time never decreases', () => {
    expect(served(user, { virtualTimeSeconds: 40, estimateSeconds: 30 })).toEqual({ ...user, servedSeconds: 150 });
    expect(served(user, { virtualTimeSeconds: 120, estimateSeconds: 30 }).virtualTimeSeconds).toBe(120);
  });

  test('is recorded each time beside other users, and in steps for a single one', () => {
    const after = served(user, { virtualTimeSeconds: 100, estimateSeconds: 30 });
    expect(mustRecord(user, after, 2)).toBe(true);
    expect(mustRecord(user, after, 1)).toBe(false);
    expect(mustRecord(user, { ...after, virtualTimeSeconds: 110 }, 1)).toBe(true);
  });
});
