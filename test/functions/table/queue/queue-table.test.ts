import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import { getItem } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { queueJob } from '../../../../functions/table/jobs/queued-jobs.ts';
import {
  findVirtualTime,
  joinQueue,
  leaveQueue,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  recordServed,
} from '../../../../functions/table/queue/queue-table.ts';
import { queueUserRecord } from '../../../../functions/table/records.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const startMs = Date.parse('2026-11-21T10:00:00Z');
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  for (const { userUlid } of await queuedUsers(100)) {
    passSeconds(60);
    await leaveQueue(userUlid);
  }
});
afterEach(() => {
  vi.useRealTimers();
});

const queue = (ownerUlid: string, virtualTimeSeconds: number, estimateSeconds = 40) =>
  queueJob(
    { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 },
    { taskToken: 't', estimateSeconds, workUnits: 1, ownerUlid, virtualTimeSeconds },
  );
const names = async () => (await queuedUsers(100)).map(({ userUlid }) => userUlid);
const userIn = async (ulid: string) => (await queuedUsers(100)).find(({ userUlid }) => userUlid === ulid)!;
const [ada, ben] = [newUlid(), newUlid()].sort() as [string, string];

describe('the queue', () => {
  test('lists the jobs of a user by virtual time', async () => {
    const user = newUlid();
    for (const turn of [80, 0, 40]) await queue(user, turn);
    expect((await queuedJobs(user, 2)).map(({ virtualTimeSeconds }) => virtualTimeSeconds)).toEqual([0, 40]);
    expect(await queuedByAll(100)).toHaveLength(3);
  });

  test('serves the user with the least virtual time first; a later user joins at the time of the others', async () => {
    await queue(ada, 0);
    await recordServed(await userIn(ada), { virtualTimeSeconds: 0, estimateSeconds: 500 }, 2);
    await queue(ben, 0);
    expect((await userIn(ben)).servedSeconds).toBe(500);
    await recordServed(await userIn(ada), { virtualTimeSeconds: 40, estimateSeconds: 40 }, 2);
    expect(await names()).toEqual([ben, ada]);
    await recordServed(await userIn(ben), { virtualTimeSeconds: 0, estimateSeconds: 90 }, 2);
    expect(await names()).toEqual([ada, ben]);
  });

  test('records jobs that several workers lease at the same time', async () => {
    const user = newUlid();
    await joinQueue(user);
    const seen = await userIn(user);
    await recordServed(seen, { virtualTimeSeconds: 0, estimateSeconds: 40 }, 2);
    await recordServed(seen, { virtualTimeSeconds: 40, estimateSeconds: 40 }, 2);
    expect((await userIn(user)).servedSeconds - seen.servedSeconds).toBe(80);
    expect(await findVirtualTime(user)).toBe(40);
  });

  test('writes nothing for a single user until the virtual time has moved a step', async () => {
    const user = newUlid();
    await joinQueue(user);
    await recordServed(await userIn(user), { virtualTimeSeconds: 20, estimateSeconds: 20 }, 1);
    expect(await findVirtualTime(user)).toBe(0);
    await recordServed(await userIn(user), { virtualTimeSeconds: 40, estimateSeconds: 20 }, 1);
    expect(await findVirtualTime(user)).toBe(40);
  });
});

describe('a user', () => {
  test('stays while the index may not list a queued job yet, then leaves and keeps the virtual times', async () => {
    const user = newUlid();
    await joinQueue(user);
    await recordServed(await userIn(user), { virtualTimeSeconds: 40, estimateSeconds: 40 }, 2);
    passSeconds(29);
    await leaveQueue(user);
    expect(await names()).toContain(user);
    passSeconds(2);
    await leaveQueue(user);
    expect(await names()).not.toContain(user);
    expect(await findVirtualTime(user)).toBe(40);
    await joinQueue(user);
    expect(await names()).toContain(user);
  });

  test('does not leave when a job is queued between the search and the leave', async () => {
    const user = newUlid();
    await joinQueue(user);
    passSeconds(40);
    await Promise.all([leaveQueue(user), queue(user, 0)]);
    expect(await names()).toContain(user);
  });

  test('joins once by concurrent calls', async () => {
    const user = newUlid();
    await Promise.all(Array.from({ length: 10 }, () => joinQueue(user)));
    expect((await names()).filter((name) => name === user)).toHaveLength(1);
    expect(await getItem(queueUserRecord, keys.queueUser(user))).toMatchObject({ virtualTimeSeconds: 0 });
  });
});
