import { beforeEach, describe, expect, test } from 'vitest';
import { newUlid } from '../../../shared/ids.ts';
import { ConditionFailed, write } from '../../../shared/table/items.ts';
import {
  cancelJob,
  findJob,
  jobEnd,
  leasedJobs,
  leaseJob,
  nextInQueue,
  queueJob,
  queuePlace,
  renewLease,
  requeueJob,
} from '../../../shared/table/jobs.ts';
import { type JobId, keys } from '../../../shared/table/keys.ts';
import { useTable } from '../../fixtures/table.ts';

useTable();

const startedAt = '2026-11-20T10:00:00.000000Z';
const facts = { kind: 'probe', taskToken: 'token-1', estimateSeconds: 10, workUnits: 1, startedAt } as const;
const holder = { lease: 'lease-1', holder: 'pool', worker: 'w1', epoch: 'e1' };

let id: JobId;
beforeEach(() => {
  id = { videoUlid: newUlid(), run: 1, kind: 'probe', group: 0, index: 0 };
});

describe('a queued job', () => {
  test('is queued once, however often it is asked for', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => queueJob(id, facts)));
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect((await nextInQueue(100)).filter(({ key }) => key.pk === keys.job(id).pk)).toHaveLength(1);
  });

  test('is given to one of many workers, and leaves the queue', async () => {
    await queueJob(id, facts);
    const leases = Array.from({ length: 10 }, (_, n) => leaseJob(keys.job(id), { ...holder, lease: `lease-${n}` }));
    const given = (await Promise.all(leases)).filter(Boolean);
    expect(given).toHaveLength(1);
    expect(given[0]).toMatchObject({ status: 'LEASED', attempt: 1 });
    expect((await nextInQueue(100)).filter(({ key }) => key.pk === keys.job(id).pk)).toEqual([]);
    expect((await leasedJobs('pool')).map(({ videoUlid }) => videoUlid)).toContain(id.videoUlid);
  });
});

describe('a lease', () => {
  test('can be kept and ended by its holder only', async () => {
    await queueJob(id, facts);
    await leaseJob(keys.job(id), holder);
    expect(await renewLease(id, 'lease-of-another', 0.5)).toBe(false);
    expect(await renewLease(id, 'lease-1', 0.5)).toBe(true);
    await expect(write(jobEnd(id, 'lease-of-another', 'DONE', {}))).rejects.toThrow(ConditionFailed);
    await write(jobEnd(id, 'lease-1', 'DONE', { set: { result: { cpuSeconds: 1 } } }));
    expect(await findJob(id)).toMatchObject({ status: 'DONE', result: { cpuSeconds: 1 } });
    expect(await renewLease(id, 'lease-1', 0.6)).toBe(false);
  });

  test('that failed is queued anew under a new token, with a new attempt', async () => {
    await queueJob(id, facts);
    await leaseJob(keys.job(id), holder);
    await write(jobEnd(id, 'lease-1', 'FAILED', { set: { error: { code: 'INTERNAL', fatal: false, message: 'x' } } }));
    const failed = await findJob(id);
    expect(await requeueJob(failed!, 'token-2', startedAt)).toBe(true);
    expect(await leaseJob(keys.job(id), { ...holder, lease: 'lease-2' })).toMatchObject({
      attempt: 2,
      taskToken: 'token-2',
    });
    expect(await renewLease(id, 'lease-1', 0.1)).toBe(false);
  });

  test('is over when the job is cancelled', async () => {
    await queueJob(id, facts);
    const job = await leaseJob(keys.job(id), holder);
    expect(await cancelJob(job!)).toBe(true);
    expect(await renewLease(id, 'lease-1', 0.1)).toBe(false);
    expect((await leasedJobs('pool')).map(({ videoUlid }) => videoUlid)).not.toContain(id.videoUlid);
  });
});

describe('the place in the queue', () => {
  const chunk = (index: number) => ({ kind: 'encode-video' as const, index, estimateSeconds: 40 });

  test('of a late chunk of a long video is behind the first chunk of a video that came later', () => {
    const late = queuePlace(chunk(100), '2026-11-20T10:00:00.000000Z');
    const first = queuePlace(chunk(0), '2026-11-20T10:05:00.000000Z');
    expect(first < late).toBe(true);
  });

  test('of equals is that of who came first', () => {
    expect(
      queuePlace(chunk(0), '2026-11-20T10:00:00.000000Z') < queuePlace(chunk(0), '2026-11-20T10:00:01.000000Z'),
    ).toBe(true);
  });
});
