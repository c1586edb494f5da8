import { now } from '../../../shared/clock.ts';
import { leaseSpeculative } from '../../table/jobs/job-leases.ts';
import { findDurations } from '../../table/jobs/job-progress.ts';
import { possibleStragglers } from '../../table/jobs/lease-lists.ts';
import { claimPeriod, endPeriod } from '../../table/quotas/period-table.ts';
import type { Job } from '../../table/records.ts';
import type { Caller } from '../caller.ts';
import { newHolder } from '../granted-lease.ts';
import { isLeftToAnother } from '../suited-worker.ts';
import { isStraggler } from './straggler.ts';

/** Idle workers of all instances together search this often. */
const searchMilliseconds = 10_000;
const period = 'speculate';
/** How many jobs a search looks at. Those that took too long and are no stragglers stay in the list. */
const maxJobs = 100;

/**
 * A speculative lease for an idle worker: on a job that takes another worker far longer than its siblings took. The
 * first result counts.
 */
export async function speculativeLease(caller: Caller): Promise<Job | undefined> {
  if (!(await claimPeriod(period, searchMilliseconds))) return undefined;
  const siblingsByFamily = new Map<string, readonly number[]>();
  for (const job of await possibleStragglers(maxJobs)) {
    if (job.speculative !== undefined || job.leasedAt === undefined || isHeldBy(caller, job)) continue;
    if (await isLeftToAnother({ id: job, memoryMib: job.memoryMib, codecs: job.codecs }, caller)) continue;
    const family = `${job.videoUlid} ${job.kind}`;
    const runningSeconds = (now() - Date.parse(job.leasedAt)) / 1000;
    const { estimateSeconds } = job;
    if (!siblingsByFamily.has(family)) siblingsByFamily.set(family, await findDurations(job.videoUlid, job.kind));
    if (!isStraggler({ runningSeconds, estimateSeconds, siblingSeconds: siblingsByFamily.get(family)! })) continue;
    const leasedAgain = await leaseSpeculative(job, newHolder(caller, job));
    if (!leasedAgain) continue;
    // The next idle worker may find another straggler.
    await endPeriod(period);
    return leasedAgain;
  }
  return undefined;
}

const isHeldBy = ({ node, worker }: Caller, job: Job): boolean => job.leaseHolder === node && job.worker === worker;
