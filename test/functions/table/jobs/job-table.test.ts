import { beforeEach, describe, expect, test } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import { ConditionFailed, write } from '../../../../functions/table/items/items.ts';
import type { JobId } from '../../../../functions/table/items/keys.ts';
import {
  attemptOf,
  cancelJob,
  findJob,
  jobFailure,
  jobResult,
  leasedJobs,
  leaseJob,
  leaseSpeculative,
  queueJob,
  renewLease,
  requeueJob,
  setTaskToken,
  takeBack,
} from '../../../../functions/table/jobs/job-table.ts';
import { queuedJobs } from '../../../../functions/table/queue/queue-table.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const holder = { lease: 'lease-1', holder: 'pool', worker: 'w1', epoch: 'e1' };
const lost = { code: 'WORKER_STOPPED', fatal: false, message: 'The worker stopped calling.' };

let id: JobId;
let ownerUlid: string;
const facts = () =>
  ({ kind: 'probe', taskToken: 'token-1', estimateSeconds: 10, workUnits: 1, ownerUlid, turnSeconds: 0 }) as const;
const job = async () => (await findJob(id))!;
const leased = async (to = holder) => {
  await queueJob(id, facts());
  return (await leaseJob(await job(), to))!;
};
const ofThisTest = ({ videoUlid }: { videoUlid: string }): boolean => videoUlid === id.videoUlid;

beforeEach(() => {
  id = { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 };
  ownerUlid = newUlid();
});

describe('a queued job', () => {
  test('is queued once, however often it is asked for', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => queueJob(id, facts())));
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect(await queuedJobs(ownerUlid, 100)).toHaveLength(1);
  });

  test('is given to one of many workers, and leaves the queue', async () => {
    await queueJob(id, facts());
    const waiting = await job();
    const leases = Array.from({ length: 10 }, (_, n) => leaseJob(waiting, { ...holder, lease: `lease-${n}` }));
    const given = (await Promise.all(leases)).filter(Boolean);
    expect(given).toHaveLength(1);
    expect(given[0]).toMatchObject({ status: 'LEASED', attempt: 1 });
    expect(await queuedJobs(ownerUlid, 100)).toEqual([]);
    expect((await leasedJobs('pool')).filter(ofThisTest)).toHaveLength(1);
  });
});

describe('a lease', () => {
  test('can be kept and failed by its holder only', async () => {
    const held = await leased();
    expect(await renewLease(held, 'lease-of-another', 0.5)).toBe(false);
    expect(await renewLease(held, 'lease-1', 0.5)).toBe(true);
    await expect(write(jobFailure(held, 'lease-of-another', lost))).rejects.toThrow(ConditionFailed);
    await write(jobFailure(held, 'lease-1', lost));
    expect(await job()).toMatchObject({ status: 'FAILED', error: lost });
    expect(await renewLease(held, 'lease-1', 0.6)).toBe(false);
  });

  test('is found by its worker among those of a node', async () => {
    await leased({ ...holder, worker: `w-${id.videoUlid}` });
    expect(await leasedJobs('pool', { worker: `w-${id.videoUlid}` })).toHaveLength(1);
    expect((await leasedJobs('pool', { expired: true })).filter(ofThisTest)).toEqual([]);
  });

  test('that failed is queued anew under a new token, with a new attempt', async () => {
    await write(jobFailure(await leased(), 'lease-1', lost));
    expect(await requeueJob(await job(), 'token-2', { ownerUlid, turnSeconds: 0 })).toBe(true);
    const again = await leaseJob(await job(), { ...holder, lease: 'lease-2' });
    expect(again).toMatchObject({ attempt: 2, taskToken: 'token-2' });
    expect(again).not.toHaveProperty('error');
    expect(['lease-1', 'lease-2', 'invented'].map((lease) => attemptOf(again!, lease))).toEqual([1, 2, undefined]);
  });

  test('is over when the job is cancelled', async () => {
    const held = await leased();
    expect(await cancelJob(held)).toBe(true);
    expect(await renewLease(held, 'lease-1', 0.1)).toBe(false);
    expect((await leasedJobs('pool')).filter(ofThisTest)).toEqual([]);
  });

  test('is given beside one that takes too long, once', async () => {
    const slow = await leased();
    const spare = await leaseSpeculative(slow, { ...holder, lease: 'lease-2', worker: 'w2' });
    expect(spare).toMatchObject({ status: 'LEASED', attempt: 2, worker: 'w2', spare: true });
    expect(await leaseSpeculative(spare!, { ...holder, lease: 'lease-3', worker: 'w3' })).toBeUndefined();
  });

  test('is taken back by who was silent, unless somebody else has the job by now', async () => {
    await write(jobFailure(await leased(), 'lease-1', lost));
    await requeueJob(await job(), 'token-2', { ownerUlid, turnSeconds: 0 });
    const waiting = await job();
    expect(await takeBack(waiting, holder)).toMatchObject({ status: 'LEASED', lease: 'lease-1' });
    expect(await leaseJob(waiting, { ...holder, lease: 'lease-2' })).toBeUndefined();
    expect(await queuedJobs(ownerUlid, 100)).toEqual([]);
  });
});

describe('a result', () => {
  test('counts of whichever attempt is first, and tells which that was', async () => {
    const slow = await leased();
    const spare = await leaseSpeculative(slow, { ...holder, lease: 'lease-2', worker: 'w2' });
    await write(jobResult(spare!, 1, { result: { cpuSeconds: 1 } }));
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1, result: { cpuSeconds: 1 } });
    await expect(write(jobResult(spare!, 2, { result: { cpuSeconds: 2 } }))).rejects.toThrow(ConditionFailed);
  });

  test('of a job that was queued anew takes it out of the queue', async () => {
    await write(jobFailure(await leased(), 'lease-1', lost));
    await requeueJob(await job(), 'token-2', { ownerUlid, turnSeconds: 0 });
    await write(jobResult(await job(), 1, { result: { cpuSeconds: 1 } }));
    expect(await queuedJobs(ownerUlid, 100)).toEqual([]);
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1 });
  });

  test('is not taken under a token that was replaced meanwhile: the state that waits now would never be answered', async () => {
    const held = await leased();
    expect(await setTaskToken(held, 'token-2')).toBe(true);
    await expect(write(jobResult(held, 1, {}))).rejects.toThrow(ConditionFailed);
    await write(jobResult(await job(), 1, {}));
  });
});
