import { SendTaskFailureCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { expireLeases } from '../../../functions/queue/expire-leases.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { leaseJob, renewLease } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { claimPeriod } from '../../../functions/table/quotas/period-table.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const states = mockClient(SFNClient);

const ownerUlid = newUlid();
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

let hours = 0;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  passSeconds(3600 * ++hours);
  states.reset();
  // No state waits for the jobs, so that their leases are taken from the list.
  states.on(SendTaskFailureCommand).rejects(Object.assign(new Error('gone'), { name: 'TaskTimedOut' }));
  await expireLeases();
  states.resetHistory();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Leases a job to a worker. */
async function leaseTo(holder: string) {
  const id = { videoUlid: newUlid(), planNumber: 1, kind: 'encode-video' as const, group: 0, index: 0 };
  const facts = { taskToken: id.videoUlid, estimateSeconds: 1000, workUnits: 1, ownerUlid, virtualTimeSeconds: 0 };
  await queueJob(id, facts);
  const lease = `lease-${id.videoUlid}`;
  return (await leaseJob((await findJob(id))!, { lease, holder, worker: `w-${id.videoUlid}`, epoch: 'e' }))!;
}

const expiredTokens = () => states.commandCalls(SendTaskFailureCommand).map(({ args }) => args[0].input.taskToken);

test('expiring one lease takes as many calls and items beside many nodes and running jobs as beside none', async () => {
  await leaseTo('pool');
  passSeconds(76);
  const alone = await countTableCalls(() => expireLeases());
  const lost = await leaseTo('pool');
  passSeconds(50);
  for (let n = 0; n < 12; n++) {
    await storeNode();
    await leaseTo((await storeNode()).ulid);
    await leaseTo('pool');
  }
  passSeconds(26);
  const among = await countTableCalls(() => expireLeases());
  expect(expiredTokens()).toEqual([expect.any(String), lost.taskToken]);
  expect(among.read).toBe(alone.read);
  expect(among.calls.toSorted()).toEqual(alone.calls.toSorted());
});

test('a lease that was renewed after the index listed it does not expire', async () => {
  const job = await leaseTo('pool');
  passSeconds(40);
  expect(await renewLease(job, job.lease!, { progress: 0.5 })).toBe(true);
  passSeconds(36);
  expect(await expireLeases()).toBe(0);
  passSeconds(40);
  expect(await expireLeases()).toBe(1);
});

test('a backlog is expired in parts, the oldest leases first, and no more is read than is expired', async () => {
  const order: string[] = [];
  for (let n = 0; n < 12; n++) {
    order.push((await leaseTo(n % 2 ? 'pool' : 'node')).taskToken);
    passSeconds(1);
  }
  passSeconds(76);
  expect(await expireLeases({ maxItems: 5, concurrency: 1 })).toBe(5);
  expect(expiredTokens()).toEqual(order.slice(0, 5));
  expect(await expireLeases({ untilMilliseconds: Date.now() })).toBe(0);
  expect(await expireLeases()).toBe(7);
  expect(expiredTokens().toSorted()).toEqual(order.toSorted());
});

test('work of a period is done by one of many calls, also of other instances', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimPeriod('test', 15_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  vi.resetModules();
  const other = await import('../../../functions/table/quotas/period-table.ts');
  expect(await other.claimPeriod('test', 15_000)).toBe(false);
  passSeconds(15);
  expect(await other.claimPeriod('test', 15_000)).toBe(true);
  expect(await claimPeriod('test', 15_000)).toBe(false);
  expect((await countTableCalls(() => claimPeriod('test', 15_000))).calls).toEqual([]);
});

test('the call of a pool worker without a job reads as much beside many nodes and running jobs as beside none', async () => {
  await clearQueue();
  const ask = (worker: string) => countTableCalls(() => leaseNext({ node: 'pool', worker, epoch: 'e' }));
  await ask('a');
  passSeconds(11);
  const alone = await ask('a');
  for (let n = 0; n < 12; n++) await leaseTo((await storeNode()).ulid);
  passSeconds(31);
  await clearQueue();
  expect((await ask('b')).read).toBe(alone.read);
});
