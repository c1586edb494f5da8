import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { parseLease } from '../../../functions/queue/granted-lease.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone, reportRunning } from '../../../functions/queue/report.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { sizeJob } from '../../../functions/queue/size-job.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { requeueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { changedSums } from '../../../functions/table/nodes/node-capacity-table.ts';
import { forgetIdleWorker, recordIdleWorker } from '../../../functions/table/nodes/worker-presence.ts';
import { queuedJobs } from '../../../functions/table/queue/queue-table.ts';
import type { User } from '../../../functions/table/records.ts';
import { addProgress } from '../../../functions/table/writes/progress-writes.ts';
import { progressItem } from '../../../functions/table/writes/video-writes.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, probeResult, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
mockClient(SFNClient);

const startMs = Date.parse('2026-11-21T10:00:00Z');
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let worker = 0;
const caller = (node = 'pool') => ({ node, worker: `w${++worker}`, epoch: 'e' });
let [ada, ben]: User[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  passSeconds(3600 * ++worker);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  await clearQueue();
  [ada, ben] = [(await createPerson()).user, (await createPerson()).user];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Whose jobs are given to the next `count` workers that ask. */
async function served(count: number): Promise<string[]> {
  const owners = new Map<string, string>();
  for (const user of [ada!, ben!]) {
    for (const { id } of await queuedJobs({ userUlid: user.ulid }, 1000))
      owners.set(id.videoUlid, user === ada ? 'ada' : 'ben');
  }
  const order: string[] = [];
  for (let n = 0; n < count; n++) {
    const lease = await leaseNext(caller());
    if (lease) order.push(owners.get(parseLease(lease.id)!.videoUlid) ?? '?');
  }
  return order;
}

describe('the queue', () => {
  test("gives one video of a user its share beside another user's many", async () => {
    for (let n = 0; n < 8; n++) await queueProbe(ada!);
    for (let n = 0; n < 2; n++) await queueProbe(ben!);
    const order = await served(10);
    expect(order).toHaveLength(10);
    expect(order.slice(0, 5).filter((name) => name === 'ben').length).toBe(2);
  });

  test('gives a user who joins late the fair share from then on and no more', async () => {
    for (let n = 0; n < 12; n++) await queueProbe(ada!);
    expect(await served(4)).toEqual(['ada', 'ada', 'ada', 'ada']);
    for (let n = 0; n < 6; n++) await queueProbe(ben!);
    const order = await served(8);
    expect(order.filter((name) => name === 'ben').length).toBeGreaterThanOrEqual(3);
    expect(order.filter((name) => name === 'ada').length).toBeGreaterThanOrEqual(3);
  });

  test('leases each job to one of several workers that ask at the same time', async () => {
    for (let n = 0; n < 6; n++) await queueProbe(n % 2 ? ada! : ben!);
    const leases = (await Promise.all(Array.from({ length: 10 }, () => leaseNext(caller())))).filter(Boolean);
    expect(new Set(leases.map((lease) => parseLease(lease!.id)!.videoUlid)).size).toBe(leases.length);
    const rest = await Promise.all(Array.from({ length: 6 - leases.length }, () => leaseNext(caller())));
    expect(rest.every(Boolean)).toBe(true);
  });

  test('cancels jobs of a deleted video and leases the next job', async () => {
    const gone = await queueProbe(ada!);
    const next = await queueProbe(ada!, { virtualTimeSeconds: 1 });
    await write({ update: keys.video(gone.videoUlid), set: { deletedAt: 'now' } });
    expect(parseLease((await leaseNext(caller()))!.id)).toMatchObject({ videoUlid: next.videoUlid });
    expect(await findJob(gone)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('an urgent job', () => {
  const videoOf = async () => parseLease((await leaseNext(caller()))!.id)!.videoUlid;

  test('is leased next while other jobs of many users wait', async () => {
    for (let n = 0; n < 6; n++) await queueProbe({ ...ada!, ulid: newUlid() });
    await queueProbe(ada!);
    await queueProbe(ben!);
    expect(await served(4)).toHaveLength(4);
    const { videoUlid } = await queueProbe(ben!, { virtualTimeSeconds: 1000, isUrgent: true });
    expect(await videoOf()).toBe(videoUlid);
  });

  test('of one user comes before many urgent ones of another, and counts as served', async () => {
    for (let n = 0; n < 12; n++) await queueProbe(ada!, { virtualTimeSeconds: n, isUrgent: true });
    expect(await served(4)).toEqual(['ada', 'ada', 'ada', 'ada']);
    for (let n = 0; n < 2; n++) await queueProbe(ben!, { isUrgent: true });
    await queueProbe(ben!);
    const order = await served(6);
    expect(order.slice(0, 4).filter((name) => name === 'ben')).toHaveLength(2);
    // What is left of the other user is urgent, the last job of this one is not.
    expect(order.slice(4)).toEqual(['ada', 'ada']);
  });

  test('that has failed is urgent when it is queued again', async () => {
    const id = await queueProbe(ada!, { isUrgent: true });
    const lease = (await leaseNext(caller()))!;
    await reportFailed({ lease: lease.id, code: 'WORKER_STOPPED', message: 'm', fatal: false });
    await queueProbe(ben!);
    passSeconds(5);
    const { isUrgent } = await sizeJob(id);
    await requeueJob((await findJob(id))!, 'again', { ownerUlid: ada!.ulid, virtualTimeSeconds: 0, isUrgent });
    expect((await queuedJobs({ userUlid: ada!.ulid }, 10)).map(({ isUrgent }) => isUrgent)).toEqual([true]);
    expect(await videoOf()).toBe(id.videoUlid);
  });
});

describe('beside nodes, a pool worker', () => {
  const node = async (workers: number) => {
    const { ulid } = await storeNode({ workers });
    const names = Array.from({ length: workers }, (_, number) => `n${number}`);
    for (const name of names) await recordIdleWorker(ulid, name);
    return { ulid, names };
  };
  const away = async ({ ulid, names }: { ulid: string; names: string[] }) => {
    for (const name of names) await forgetIdleWorker(ulid, name);
  };

  test('leaves jobs to nodes with free workers until they have waited too long', async () => {
    const free = await node(2);
    await queueProbe(ada!);
    expect(await leaseNext(caller())).toBeUndefined();
    passSeconds(21);
    expect(await leaseNext(caller())).toBeDefined();
    await away(free);
  });

  test('takes jobs when there are more than free workers of nodes', async () => {
    const free = await node(2);
    for (let n = 0; n < 3; n++) await queueProbe(ada!);
    expect(await leaseNext(caller())).toBeDefined();
    expect(await leaseNext(caller())).toBeUndefined();
    expect(await leaseNext(caller(free.ulid))).toBeDefined();
    expect(await leaseNext(caller(free.ulid))).toBeDefined();
    await away(free);
  });

  test('leaves no job to nodes that are too small for it', async () => {
    const free = await node(2);
    const counted = { workers: 2, capacity: 2, memoryMib: 900 };
    await write({ update: keys.nodeCapacity(), set: { kind: 'node-capacity' }, add: changedSums([counted], []) });
    await queueProbe(ada!, { memoryMib: 900 });
    expect(await leaseNext(caller())).toBeUndefined();
    const large = await queueProbe(ada!, { memoryMib: 1000 });
    expect(parseLease((await leaseNext(caller()))?.id ?? '')?.videoUlid).toBe(large.videoUlid);
    await write({ delete: keys.nodeCapacity() });
    await away(free);
  });

  test('does not wait for a node that is not alive', async () => {
    const silent = await node(2);
    passSeconds(91);
    await queueProbe(ada!);
    expect(await leaseNext(caller())).toBeDefined();
    await away(silent);
  });
});

describe('a job that takes far longer than its siblings', () => {
  const slow = caller();

  test('gets a speculative lease for an idle worker; the first result counts, and the other worker stops', async () => {
    const id = await queueProbe(ada!);
    const first = (await leaseNext(slow))!;
    await transact([{ put: progressItem(id.videoUlid, 1, ['v0']) }]);
    const video = { ulid: id.videoUlid, planNumber: 1 };
    for (let index = 1; index <= 5; index++) {
      for (const one of addProgress(video, 'v0', 1, { kind: 'probe', tookSeconds: 20 })) await write(one);
    }
    passSeconds(29);
    await reportRunning(slow, { lease: first.id, progress: 0.1 });
    expect(await leaseNext(caller())).toBeUndefined();
    passSeconds(20);
    await reportRunning(slow, { lease: first.id, progress: 0.2 });
    const second = (await leaseNext(caller()))!;
    expect(parseLease(second.id)).toEqual(id);
    passSeconds(20);
    expect(await leaseNext(caller())).toBeUndefined();
    expect(await reportRunning(slow, { lease: first.id, progress: 0.5 })).toBe(true);
    await reportDone(caller(), { lease: second.id, result: probeResult });
    expect(await reportRunning(slow, { lease: first.id, progress: 0.6 })).toBe(false);
    expect(await findJob(id)).toMatchObject({ status: 'DONE', attempt: 2 });
  });
});
