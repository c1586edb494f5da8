import { beforeEach, describe, expect, test } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import type { JobId } from '../../../../functions/table/job-id.ts';
import { attemptOf, maxAttempts } from '../../../../functions/table/jobs/job-attempts.ts';
import {
  cancelJob,
  completeJob,
  expireLease,
  failJob,
  type StoredResult,
} from '../../../../functions/table/jobs/job-endings.ts';
import { leaseJob, leaseSpeculative, renewLease, restoreLease } from '../../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../../functions/table/jobs/job-table.ts';
import { expiredLeases, leasedJobs } from '../../../../functions/table/jobs/lease-lists.ts';
import { queueJob, requeueJob, setTaskToken } from '../../../../functions/table/jobs/queued-jobs.ts';
import { queuedJobs } from '../../../../functions/table/queue/queue-table.ts';
import type { Job } from '../../../../functions/table/records.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const holder = { lease: 'lease-1', holder: 'pool', worker: 'w1', epoch: 'e1' };
const lost = { code: 'WORKER_STOPPED', fatal: false, message: 'The worker stopped calling.' };

let id: JobId;
let ownerUlid: string;
const facts = () =>
  ({
    kind: 'probe',
    taskToken: 'token-1',
    estimateSeconds: 10,
    workUnits: 1,
    ownerUlid,
    virtualTimeSeconds: 0,
  }) as const;
const job = async () => (await findJob(id))!;
const leased = async (to = holder) => {
  await queueJob(id, facts());
  return (await leaseJob(await job(), to))!;
};
const complete = (of: Job, attempt: number, stored: StoredResult) =>
  completeJob({
    job: of,
    attempt,
    stored,
    cpuMilliseconds: 0,
    part: undefined,
    video: { ulid: of.videoUlid, ownerUlid, planNumber: 1, externalUserId: null },
  });
const ofThisTest = ({ videoUlid }: { videoUlid: string }): boolean => videoUlid === id.videoUlid;

beforeEach(() => {
  id = { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 };
  ownerUlid = newUlid();
});

describe('a queued job', () => {
  test('is queued once by concurrent calls', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => queueJob(id, facts())));
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect(await queuedJobs({ userUlid: ownerUlid }, 100)).toHaveLength(1);
  });

  test('is leased to one of many workers, and leaves the queue', async () => {
    await queueJob(id, facts());
    const waiting = await job();
    const leases = Array.from({ length: 10 }, (_, n) => leaseJob(waiting, { ...holder, lease: `lease-${n}` }));
    const given = (await Promise.all(leases)).filter(Boolean);
    expect(given).toHaveLength(1);
    expect(given[0]).toMatchObject({ status: 'LEASED', attempt: 1 });
    expect(await queuedJobs({ userUlid: ownerUlid }, 100)).toEqual([]);
    expect((await leasedJobs('pool', given[0]!.worker!)).filter(ofThisTest)).toHaveLength(1);
  });
});

describe('a lease', () => {
  test('can be renewed and failed under its own name only', async () => {
    const held = await leased();
    expect(await renewLease(held, 'lease-of-another', { progress: 0.5 })).toBe(false);
    expect(await renewLease(held, 'lease-1', { progress: 0.5 })).toBe(true);
    expect(await failJob(held, 'lease-of-another', lost)).toBe(false);
    expect(await failJob(held, 'lease-1', lost)).toBe(true);
    expect(await job()).toMatchObject({ status: 'FAILED', error: lost });
    expect(await renewLease(held, 'lease-1', { progress: 0.6 })).toBe(false);
  });

  test('is found by worker among those of a node', async () => {
    await leased({ ...holder, worker: `w-${id.videoUlid}` });
    expect(await leasedJobs('pool', `w-${id.videoUlid}`)).toHaveLength(1);
    expect(await leasedJobs('pool', 'w')).toEqual([]);
    for await (const jobs of expiredLeases()) expect(jobs.filter(ofThisTest)).toEqual([]);
  });

  test('that failed is queued again under a new token, with a new attempt', async () => {
    expect(await failJob(await leased(), 'lease-1', lost)).toBe(true);
    expect(await requeueJob(await job(), 'token-2', { ownerUlid, virtualTimeSeconds: 0 })).toBe(true);
    const again = await leaseJob(await job(), { ...holder, lease: 'lease-2' });
    expect(again).toMatchObject({ attempt: 2, taskToken: 'token-2' });
    expect(again).not.toHaveProperty('error');
    expect(['lease-1', 'lease-2', 'invented'].map((lease) => attemptOf(again!, lease))).toEqual([1, 2, undefined]);
  });

  test('ends when the job is cancelled', async () => {
    const held = await leased();
    expect(await cancelJob(held)).toBe(true);
    expect(await renewLease(held, 'lease-1', { progress: 0.1 })).toBe(false);
    expect((await leasedJobs('pool', 'w1')).filter(ofThisTest)).toEqual([]);
  });

  test('of a straggler gets one speculative lease beside it', async () => {
    const slow = await leased();
    const second = await leaseSpeculative(slow, { ...holder, lease: 'lease-2', worker: 'w2' });
    expect(second).toMatchObject({ status: 'LEASED', attempt: 2, worker: 'w2', speculative: true });
    expect(await leaseSpeculative(second!, { ...holder, lease: 'lease-3', worker: 'w3' })).toBeUndefined();
  });

  test('that expired is restored while no other worker has the job', async () => {
    expect(await failJob(await leased(), 'lease-1', lost)).toBe(true);
    await requeueJob(await job(), 'token-2', { ownerUlid, virtualTimeSeconds: 0 });
    const waiting = await job();
    expect(await restoreLease(waiting, holder)).toMatchObject({ status: 'LEASED', lease: 'lease-1' });
    expect(await leaseJob(waiting, { ...holder, lease: 'lease-2' })).toBeUndefined();
    expect(await queuedJobs({ userUlid: ownerUlid }, 100)).toEqual([]);
  });
});

describe('the attempts of a job', () => {
  const attempts = async () => (await job()).attempts;

  test('record node, worker, times and the code of the failure, in the writes of the lease and its end', async () => {
    await failJob(await leased(), 'lease-1', { ...lost, code: 'ENCODER_FAILED' });
    await requeueJob(await job(), 'token-2', { ownerUlid, virtualTimeSeconds: 0 });
    await leaseJob(await job(), { lease: 'lease-2', holder: 'node-7', worker: 'w2', epoch: 'e2' });
    expect(await attempts()).toEqual({
      1: {
        lease: 'lease-1',
        node: 'pool',
        worker: 'w1',
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        errorCode: 'ENCODER_FAILED',
      },
      2: { lease: 'lease-2', node: 'node-7', worker: 'w2', startedAt: expect.any(String) },
    });
    await complete(await job(), 2, {});
    expect((await attempts())[2]).toHaveProperty('endedAt');
  });

  test('continue when an expired lease is restored, and have no failure when they deliver after all', async () => {
    await expireLease(await leased(), lost);
    expect((await attempts())[1]).toMatchObject({ errorCode: 'WORKER_STOPPED' });
    await requeueJob(await job(), 'token-2', { ownerUlid, virtualTimeSeconds: 0 });
    await restoreLease(await job(), holder);
    expect(Object.keys((await attempts())[1]!)).not.toEqual(expect.arrayContaining(['endedAt']));
    await expireLease(await job(), lost);
    await complete(await job(), 1, {});
    expect((await attempts())[1]).not.toHaveProperty('errorCode');
  });

  test('are the last twenty: the item of a job has a bound', async () => {
    await queueJob(id, facts());
    for (let number = 1; number <= maxAttempts + 2; number++) {
      const lease = `lease-${number}`;
      await leaseJob(await job(), { ...holder, lease });
      await failJob(await job(), lease, lost);
      await requeueJob(await job(), `token-${number}`, { ownerUlid, virtualTimeSeconds: 0 });
    }
    expect(Object.keys(await attempts()).map(Number)).toEqual(Array.from({ length: maxAttempts }, (_, n) => n + 3));
    expect(attemptOf(await job(), 'lease-1')).toBeUndefined();
  });
});

describe('a result', () => {
  test('of the first attempt to deliver counts, and the job names that attempt', async () => {
    const slow = await leased();
    const second = await leaseSpeculative(slow, { ...holder, lease: 'lease-2', worker: 'w2' });
    expect(await complete(second!, 1, { result: { cpuSeconds: 1 } })).toBe(true);
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1, result: { cpuSeconds: 1 } });
    expect(await complete(second!, 2, { result: { cpuSeconds: 2 } })).toBe(false);
  });

  test('of a job that was queued again takes it out of the queue', async () => {
    expect(await failJob(await leased(), 'lease-1', lost)).toBe(true);
    await requeueJob(await job(), 'token-2', { ownerUlid, virtualTimeSeconds: 0 });
    expect(await complete(await job(), 1, { result: { cpuSeconds: 1 } })).toBe(true);
    expect(await queuedJobs({ userUlid: ownerUlid }, 100)).toEqual([]);
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1 });
  });

  test('is not stored under a token that was replaced: the state that waits now would get no answer', async () => {
    const held = await leased();
    expect(await setTaskToken(held, 'token-2')).toBe(true);
    expect(await complete(held, 1, {})).toBe(false);
    expect(await complete(await job(), 1, {})).toBe(true);
  });
});
