import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { clearExpiredLease, expireLease } from '../table/jobs/job-endings.ts';
import { listedLeases } from '../table/jobs/job-leases.ts';
import { listLeaseHolders } from '../table/nodes/node-table.ts';
import type { Job } from '../table/records.ts';
import type { Caller } from './caller.ts';
import { announceFailed } from './job-owner.ts';

/** Expires the leases that a worker held before its process was restarted. */
export async function expireEarlierEpochs({ node, worker, epoch }: Caller): Promise<void> {
  const listed = await listedLeases(node, { worker });
  await forEachSettled(
    listed.filter((job) => job.epoch !== epoch),
    expire,
  );
}

/** Expires all leases that were not renewed in time. Returns how many. */
export async function expireLeases(): Promise<number> {
  const holders = await listLeaseHolders();
  const expired = (await Promise.all(holders.map((holder) => listedLeases(holder, { expired: true })))).flat();
  await forEachSettled(expired, expire);
  return expired.length;
}

const workerStopped = { code: 'WORKER_STOPPED', fatal: false };

async function expire(job: Job): Promise<void> {
  if (job.status === 'LEASED') {
    if (!(await expireLease(job, { ...workerStopped, message: 'The worker stopped calling.' }))) return;
    log.warn('lease expired', { lease: job.lease, worker: job.worker, attempt: job.attempt });
  }
  const message = `${job.worker} held attempt ${job.attempt} and stopped calling`;
  const isWaitedFor = await announceFailed(job, { ...workerStopped, message });
  if (!isWaitedFor) await clearExpiredLease(job);
}
