import { stateErrors } from '../../shared/protocol/job-errors.ts';
import { sendTaskFailure } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { queryIndex } from '../table/items/items.ts';
import { owned } from '../table/items/keys.ts';
import { clearExpiredLease, expireLease, listedLeases } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';
import { type Caller, poolNode } from './caller.ts';

/** Gives up the leases that a worker held before it was started anew. */
export async function expireEarlierEpochs({ node, worker, epoch }: Caller): Promise<void> {
  const held = await listedLeases(node, { worker });
  const earlier = held.filter((job) => job.epoch !== epoch);
  await forEachSettled(earlier, lose, earlier.length);
}

/** Gives up all leases that have run out. Returns how many. */
export async function expireLeases(): Promise<number> {
  const expired = (
    await Promise.all((await holders()).map((holder) => listedLeases(holder, { expired: true })))
  ).flat();
  await forEachSettled(expired, lose, expired.length);
  return expired.length;
}

/** All that may hold leases: the pool and every node, also one that is gone while its leases may last. */
export async function holders(): Promise<string[]> {
  const nodes = await queryIndex('byOwner', owned('all', 'node', '').ownerKey);
  return [poolNode, ...nodes.map(({ ownerSort }) => String(ownerSort))];
}

async function lose(job: Job): Promise<void> {
  if (job.status === 'LEASED') {
    const error = { code: 'WORKER_STOPPED', fatal: false, message: 'The worker stopped calling.' };
    if (!(await expireLease(job, error))) return;
    log.warn('worker lost', { lease: job.lease, worker: job.worker, attempt: job.attempt });
  }
  const told = await sendTaskFailure(
    job.taskToken,
    stateErrors.workerLost,
    `${job.worker} held attempt ${job.attempt} and stopped calling`,
  );
  if (!told) await clearExpiredLease(job);
}
