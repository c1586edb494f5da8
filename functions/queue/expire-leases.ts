import { now } from '../../shared/clock.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import { log } from '../common/log.ts';
import { clearExpiredLease, expireLease } from '../table/jobs/job-endings.ts';
import { expiredLeases, listedLeases } from '../table/jobs/lease-lists.ts';
import type { Job } from '../table/records.ts';
import type { Caller } from './caller.ts';
import { announceFailed } from './job-owner.ts';

/** Expires the leases that a worker held before its process was restarted. */
export async function expireEarlierEpochs({ node, worker, epoch }: Caller): Promise<void> {
  const listed = await listedLeases(node, worker);
  await forEachSettled(
    listed.filter((job) => job.epoch !== epoch),
    expire,
  );
}

/** The other steps of the reaper need the rest of the minute. The next run continues a backlog. */
const maxMilliseconds = 30_000;
const parallelLeases = 20;

/** Expires leases that were not renewed in time, the oldest first, within some limits. Returns how many. */
export const expireLeases = (limits: Partial<DrainLimits> = {}): Promise<number> =>
  drain(expiredLeases(), expire, {
    untilMilliseconds: now() + maxMilliseconds,
    concurrency: parallelLeases,
    ...limits,
  });

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
