import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { documents } from '../../../../functions/aws/table-client.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { getItem, write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { queueJob } from '../../../../functions/table/jobs/queued-jobs.ts';
import {
  endUrgency,
  findVirtualTime,
  joinQueue,
  leaveQueue,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  recordServed,
} from '../../../../functions/table/queue/queue-table.ts';
import { endSpreading } from '../../../../functions/table/queue/spread-users.ts';
import { queueUserRecord } from '../../../../functions/table/records.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const placeRecord = z.object({ queueShard: z.string() });

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

const queue = (ownerUlid: string, virtualTimeSeconds: number, estimateSeconds = 40, isUrgent = false) =>
  queueJob(
    { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 },
    { taskToken: 't', estimateSeconds, workUnits: 1, ownerUlid, virtualTimeSeconds, isUrgent },
  );
const names = async () => (await queuedUsers(100)).map(({ userUlid }) => userUlid);
const userIn = async (ulid: string) => (await queuedUsers(100)).find(({ userUlid }) => userUlid === ulid)!;
const [ada, ben] = [newUlid(), newUlid()].sort() as [string, string];

describe('the queue', () => {
  test('lists the jobs of a user by virtual time', async () => {
    const user = newUlid();
    for (const turn of [80, 0, 40]) await queue(user, turn);
    expect((await queuedJobs({ userUlid: user }, 2)).map(({ virtualTimeSeconds }) => virtualTimeSeconds)).toEqual([
      0, 40,
    ]);
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
    await joinQueue(user, false);
    const seen = await userIn(user);
    await recordServed(seen, { virtualTimeSeconds: 0, estimateSeconds: 40 }, 2);
    await recordServed(seen, { virtualTimeSeconds: 40, estimateSeconds: 40 }, 2);
    expect((await userIn(user)).servedSeconds - seen.servedSeconds).toBe(80);
    expect(await findVirtualTime(user)).toBe(40);
  });

  test('writes nothing for a single user until the virtual time has moved a step', async () => {
    const user = newUlid();
    await joinQueue(user, false);
    await recordServed(await userIn(user), { virtualTimeSeconds: 20, estimateSeconds: 20 }, 1);
    expect(await findVirtualTime(user)).toBe(0);
    await recordServed(await userIn(user), { virtualTimeSeconds: 40, estimateSeconds: 20 }, 1);
    expect(await findVirtualTime(user)).toBe(40);
  });
});

describe('urgent jobs', () => {
  let [ada, ben] = ['', ''];
  beforeEach(() => {
    [ada, ben] = [newUlid(), newUlid()];
  });
  const order = async () => (await names()).filter((name) => name === ada || name === ben);

  test('put their user before all others, and themselves before the other jobs of the user', async () => {
    await queue(ada, 0);
    await queue(ben, 0);
    await recordServed(await userIn(ben), { virtualTimeSeconds: 0, estimateSeconds: 9000 }, 2);
    expect(await order()).toEqual([ada, ben]);
    await queue(ben, 900, 1, true);
    expect(await order()).toEqual([ben, ada]);
    expect((await queuedJobs({ userUlid: ben }, 10)).map(({ isUrgent }) => isUrgent)).toEqual([true, false]);
    const third = newUlid();
    await queue(third, 0);
    // Near the least time of all in the queue, not that of the first in the list.
    const times = (await queuedUsers(100)).map(({ servedSeconds }) => servedSeconds);
    expect((await userIn(third)).servedSeconds).toBeLessThanOrEqual(Math.min(...times) + 600);
    expect((await userIn(third)).servedSeconds).toBeLessThan((await userIn(ben)).servedSeconds);
  });

  test('of several users are served by virtual time', async () => {
    await queue(ada, 0, 40, true);
    await queue(ben, 0, 40, true);
    const [first, second] = await order();
    await recordServed(await userIn(first!), { virtualTimeSeconds: 0, estimateSeconds: 20_000 }, 2);
    expect(await order()).toEqual([second, first]);
    expect((await userIn(first!)).urgentAtMilliseconds).toBe(Date.now());
  });

  test('leave their user behind only when the index has had time to list a new one', async () => {
    await queue(ben, 0);
    await queue(ada, 0, 40, true);
    await endUrgency(await userIn(ada));
    expect((await userIn(ada)).urgentAtMilliseconds).toBeDefined();
    passSeconds(3);
    const seen = await userIn(ada);
    await queue(ada, 0, 40, true);
    // The order that a worker has seen is out of date.
    await endUrgency(seen);
    expect((await userIn(ada)).urgentAtMilliseconds).toBe(Date.now());
    passSeconds(3);
    await endUrgency(await userIn(ada));
    expect((await userIn(ada)).urgentAtMilliseconds).toBeUndefined();
    await queue(ada, 0, 40, true);
    expect((await order())[0]).toBe(ada);
  });
});

describe('a user', () => {
  test('stays while the index may not list a queued job yet, then leaves and keeps the virtual times', async () => {
    const user = newUlid();
    await joinQueue(user, false);
    await recordServed(await userIn(user), { virtualTimeSeconds: 40, estimateSeconds: 40 }, 2);
    passSeconds(29);
    await leaveQueue(user);
    expect(await names()).toContain(user);
    passSeconds(2);
    await leaveQueue(user);
    expect(await names()).not.toContain(user);
    // It grows with the time in which no job was leased.
    expect(await findVirtualTime(user)).toBe(71);
    await joinQueue(user, false);
    expect(await names()).toContain(user);
  });

  test('does not leave when a job is queued between the search and the leave', async () => {
    const user = newUlid();
    await joinQueue(user, false);
    passSeconds(40);
    await Promise.all([leaveQueue(user), queue(user, 0)]);
    expect(await names()).toContain(user);
  });

  test('joins once by concurrent calls', async () => {
    const user = newUlid();
    await Promise.all(Array.from({ length: 10 }, () => joinQueue(user, false)));
    expect((await names()).filter((name) => name === user)).toHaveLength(1);
    expect(await getItem(queueUserRecord, keys.queueUser(user))).toMatchObject({ virtualTimeSeconds: 0 });
  });
});

describe('under load', () => {
  const read = async (): Promise<number> => {
    const send = vi.spyOn(documents, 'send');
    await queuedUsers(100);
    const reads = send.mock.calls.length;
    send.mockRestore();
    return reads;
  };
  /** Several workers record at the same time what a user was served. */
  const serve = async (user: string, workers: number) => {
    const seen = await userIn(user);
    const job = { virtualTimeSeconds: 0, estimateSeconds: 40 };
    await Promise.all(Array.from({ length: workers }, () => recordServed(seen, job, 2)));
  };

  test('the further jobs of a user with many are spread over partitions, and are read in the same order', async () => {
    const [user, other] = [newUlid(), newUlid()];
    await queue(other, 0);
    for (let turn = 0; turn < 150; turn++) await queue(user, 40 * (150 - turn));
    expect(await userIn(user)).toMatchObject({ isSpread: true });
    expect(await userIn(other)).not.toHaveProperty('isSpread');
    const turns = Array.from({ length: 150 }, (_, turn) => 40 * (turn + 1));
    for (const limit of [1, 10, 100, 149, 1000]) {
      const jobs = await queuedJobs(await userIn(user), limit);
      expect(jobs.map(({ virtualTimeSeconds }) => virtualTimeSeconds)).toEqual(turns.slice(0, limit));
    }
    const shards = (await queuedJobs(await userIn(user), 1000)).map(({ id }) => getItem(placeRecord, keys.job(id)));
    expect(new Set((await Promise.all(shards)).map((place) => place?.queueShard)).size).toBeGreaterThan(3);
    await recordServed(await userIn(user), { virtualTimeSeconds: 80, estimateSeconds: 40 }, 2);
    expect(await userIn(user)).toMatchObject({ isSpread: true });
    for (const { id } of await queuedJobs(await userIn(user), 1000)) await write({ delete: keys.job(id) });
    passSeconds(31);
    await leaveQueue(user);
    await queue(user, 0);
    expect(await userIn(user)).not.toHaveProperty('isSpread');
  });

  test('users are spread over partitions, are read in the same order, and come together again', async () => {
    const users = Array.from({ length: 12 }, () => newUlid());
    for (const user of users) await joinQueue(user, false);
    expect(await read()).toBe(1);
    await serve(users[0]!, 4);
    expect(await read()).toBe(8);
    for (const user of users) await serve(user, 1);
    const places = await Promise.all(users.map((user) => getItem(placeRecord, keys.queueUser(user))));
    expect(new Set(places.map((place) => place?.queueShard)).size).toBeGreaterThan(2);
    const listed = (await queuedUsers(100)).filter(({ userUlid }) => users.includes(userUlid));
    expect(listed).toHaveLength(12);
    expect(listed.map(({ servedSeconds }) => servedSeconds)).toEqual(
      listed.map(({ servedSeconds }) => servedSeconds).toSorted((a, b) => a - b),
    );
    // The time of spreading is over, and users come back to the first partition when they are served.
    passSeconds(151);
    await endSpreading();
    expect(await read()).toBe(8);
    for (const user of users) await serve(user, 1);
    await queuedUsers(100);
    await endSpreading();
    expect(await read()).toBe(1);
    expect((await names()).filter((name) => users.includes(name))).toHaveLength(12);
  });
});
