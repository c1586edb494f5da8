import { now, timestamp } from '../../shared/clock.ts';
import { stateErrors } from '../../shared/job-errors.ts';
import { log } from '../../shared/log.ts';
import type { Job } from '../../shared/records.ts';
import { ConditionFailed, queryIndex, write } from '../../shared/table/items.ts';
import { jobEnd, leasedJobs } from '../../shared/table/jobs.ts';
import { taskFailed } from '../executions.ts';
import { type Caller, poolNode } from './caller.ts';

/** Gives up the leases that a worker held before it was started anew. */
export async function loseEarlierEpochs({ node, worker, epoch }: Caller): Promise<void> {
  const held = await leasedJobs(node);
  await Promise.all(held.filter((job) => job.worker === worker && job.epoch !== epoch).map(lose));
}

/** Gives up all leases that have run out. Returns how many. */
export async function loseExpired(): Promise<number> {
  const nodes = await queryIndex('byOwner', 'all#node');
  const holders = [poolNode, ...nodes.map(({ ownerSort }) => String(ownerSort))];
  const expired = (await Promise.all(holders.map((holder) => leasedJobs(holder, timestamp(now()))))).flat();
  await Promise.all(expired.map(lose));
  return expired.length;
}

async function lose(job: Job): Promise<void> {
  const message = 'The worker stopped calling.';
  try {
    await write(
      jobEnd(job, job.lease ?? '', 'FAILED', { set: { error: { code: 'WORKER_STOPPED', fatal: false, message } } }),
    );
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    throw error;
  }
  log.warn('worker lost', { lease: job.lease, worker: job.worker, attempt: job.attempt });
  await taskFailed(
    job.taskToken,
    stateErrors.workerLost,
    `${job.worker} held attempt ${job.attempt} and stopped calling`,
  );
}
