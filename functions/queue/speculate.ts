import { now } from '../../shared/clock.ts';
import { leasedJobs, leaseSpeculative } from '../table/jobs/job-leases.ts';
import { findJobsOfKind } from '../table/jobs/job-table.ts';
import { listLeaseHolders } from '../table/nodes/node-table.ts';
import type { Job } from '../table/records.ts';
import type { Caller } from './caller.ts';
import { newHolder } from './granted-lease.ts';
import { isStraggler } from './straggler.ts';

/**
 * Idle workers call every few seconds, and a search reads all leased jobs: an instance of the function searches this
 * often.
 */
const searchMilliseconds = 10_000;
let searchAfter = 0;

/**
 * A speculative lease for an idle worker: on a job that takes another worker far longer than its siblings took. The
 * first result counts.
 */
export async function speculativeLease(caller: Caller): Promise<Job | undefined> {
  if (now() < searchAfter) return undefined;
  searchAfter = now() + searchMilliseconds;
  const leased = (await Promise.all((await listLeaseHolders()).map((holder) => leasedJobs(holder)))).flat();
  const longestFirst = leased
    .filter((job) => job.speculative === undefined && job.leasedAt !== undefined && !isHeldBy(caller, job))
    .toSorted((a, b) => (a.leasedAt! < b.leasedAt! ? -1 : 1));
  const siblingsByFamily = new Map<string, readonly number[]>();
  for (const job of longestFirst) {
    const family = `${job.videoUlid} ${job.planNumber} ${job.kind}`;
    const runningSeconds = (now() - Date.parse(job.leasedAt!)) / 1000;
    const { estimateSeconds } = job;
    if (runningSeconds <= estimateSeconds) continue;
    if (!siblingsByFamily.has(family)) siblingsByFamily.set(family, await siblingSeconds(job));
    if (!isStraggler({ runningSeconds, estimateSeconds, siblingSeconds: siblingsByFamily.get(family)! })) continue;
    const leasedAgain = await leaseSpeculative(job, newHolder(caller, job));
    if (!leasedAgain) continue;
    // The next idle worker may find another straggler.
    searchAfter = 0;
    return leasedAgain;
  }
  return undefined;
}

const isHeldBy = ({ node, worker }: Caller, job: Job): boolean => job.leaseHolder === node && job.worker === worker;

async function siblingSeconds({ videoUlid, planNumber, kind }: Job): Promise<number[]> {
  const siblings = await findJobsOfKind(videoUlid, planNumber, kind);
  return siblings.flatMap(({ status, tookSeconds }) => (status === 'DONE' && tookSeconds ? [tookSeconds] : []));
}
