import { describe, expect, test } from 'vitest';
import { jobOrder, readJobOrder, readUserOrder, userOrder } from '../../../../functions/table/items/queue-keys.ts';
import {
  inTurn,
  joinVirtualTime,
  mustRecord,
  queueVirtualTime,
  served,
  videoVirtualTime,
} from '../../../../functions/table/queue/virtual-time.ts';

const user = { userUlid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3', servedSeconds: 120, virtualTimeSeconds: 80 };

describe('a user who joins', () => {
  const join = (servedSeconds: number, queueSeconds: number | undefined) =>
    joinVirtualTime(servedSeconds, queueSeconds, 1000).servedSeconds;

  test('starts at the virtual time of the queue, not at an earlier one', () => {
    expect(join(0, 500)).toBe(500);
  });

  test('continues at the own virtual time when no user waits', () => {
    expect(join(120, undefined)).toBe(120);
  });

  test('waits at most a minute for an earlier surplus', () => {
    expect(join(530, 500)).toBe(530);
    expect(join(90_000, 500)).toBe(560);
  });
});

describe('the virtual time of the queue', () => {
  const joined = (atSeconds: number) => joinVirtualTime(100, undefined, atSeconds * 1000);

  test('is that of the next user, and grows with the time for which others have waited', () => {
    expect(queueVirtualTime([], 0)).toBeUndefined();
    expect(queueVirtualTime([joined(1000)], 1_000_000)).toBe(100);
    expect(queueVirtualTime([joined(1000), { servedSeconds: 90 }], 1_030_000)).toBe(130);
    expect(queueVirtualTime([{ ...joined(1000), servedSeconds: 140 }], 1_030_000)).toBe(140);
  });

  test('grows on while users follow each other', () => {
    const old = joined(1000);
    const second = joinVirtualTime(0, queueVirtualTime([old], 1_030_000), 1_030_000);
    expect(queueVirtualTime([{ ...second, servedSeconds: 130 }], 1_050_000)).toBe(150);
  });

  test('puts a newcomer behind at most ten minutes of work of each user', () => {
    expect(queueVirtualTime([joined(1000)], 9_000_000)).toBe(700);
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
      jobOrder({ ...job, virtualTimeSeconds: 800, isUrgent: true, memoryMib: 1900 }),
      jobOrder({ ...job, virtualTimeSeconds: 900, codecs: ['h264', 'av1'] }),
    ];
    expect(texts.toSorted().map(readJobOrder)).toEqual([
      { virtualTimeSeconds: 800, estimateSeconds: 40, attempt: 2, isUrgent: true, memoryMib: 1900 },
      { virtualTimeSeconds: 0, estimateSeconds: 40, attempt: 2, isUrgent: false },
      { virtualTimeSeconds: 40, estimateSeconds: 40, attempt: 2, isUrgent: false },
      { virtualTimeSeconds: 400, estimateSeconds: 40, attempt: 2, isUrgent: false },
      { virtualTimeSeconds: 900, estimateSeconds: 40, attempt: 2, isUrgent: false, codecs: ['h264', 'av1'] },
    ]);
  });
});

describe('the service of a user', () => {
  test('counts by estimate, and the virtual time never decreases', () => {
    const at = { servedAtMilliseconds: 7000 };
    expect(served(user, { virtualTimeSeconds: 40, estimateSeconds: 30 }, 7000)).toEqual({
      ...user,
      ...at,
      servedSeconds: 150,
    });
    expect(served(user, { virtualTimeSeconds: 120, estimateSeconds: 30 }, 7000).virtualTimeSeconds).toBe(120);
  });

  test('is recorded each time beside other users, and in steps for a single one', () => {
    const after = served(user, { virtualTimeSeconds: 100, estimateSeconds: 30 }, 7000);
    expect(mustRecord(user, after, 2)).toBe(true);
    expect(mustRecord(user, after, 1)).toBe(false);
    expect(mustRecord(user, { ...after, virtualTimeSeconds: 110 }, 1)).toBe(true);
  });
});

describe('the virtual time of the videos of a user', () => {
  const waiting = { ...user, servedAtMilliseconds: 10_000 };

  test('grows while they wait, so that further videos are behind them', () => {
    expect(videoVirtualTime(waiting, 50_000)).toBe(80 + 40);
    expect(videoVirtualTime(user, 50_000)).toBe(80);
  });

  test('keeps what it has grown when a job is leased, but not an urgent one', () => {
    const job = { virtualTimeSeconds: 90, estimateSeconds: 10 };
    expect(served(waiting, job, 50_000)).toMatchObject({ virtualTimeSeconds: 120, servedAtMilliseconds: 50_000 });
    expect(served(waiting, { ...job, isUrgent: true }, 50_000)).toEqual({ ...waiting, servedSeconds: 130 });
  });
});
