import { now } from '../../shared/clock.ts';
import { findJobs, leasedJobs, leaseSpeculative } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';
import type { Caller } from './caller.ts';
import { holders } from './expire-leases.ts';
import { newHolder } from './lease-id.ts';
import { isStraggler } from './straggler.ts';

/** Idle workers ask every few seconds, and looking for stragglers reads all that is in work: an instance of the function does so no more often. */
const lookMilliseconds = 10_000;
let lookAfter = 0;

/** A second lease for an idle worker, on a job that takes far longer at another one than its siblings took. Whichever result comes first counts. */
export async function speculativeLease(caller: Caller): Promise<Job | undefined> {
  if (now() < lookAfter) return undefined;
  lookAfter = now() + lookMilliseconds;
  const leased = (await Promise.all((await holders()).map((holder) => leasedJobs(holder)))).flat();
  const longest = leased
    .filter((job) => job.spare === undefined && job.leasedAt !== undefined && !isOf(caller, job))
    .toSorted((a, b) => (a.leasedAt! < b.leasedAt! ? -1 : 1));
  const known = new Map<string, readonly number[]>();
  for (const job of longest) {
    const family = `${job.videoUlid} ${job.planNumber} ${job.kind}`;
    const runningSeconds = (now() - Date.parse(job.leasedAt!)) / 1000;
    const { estimateSeconds } = job;
    if (runningSeconds <= estimateSeconds) continue;
    if (!known.has(family)) known.set(family, await siblingSeconds(job));
    if (!isStraggler({ runningSeconds, estimateSeconds, siblingSeconds: known.get(family)! })) continue;
    const given = await leaseSpeculative(job, newHolder(caller, job));
    if (!given) continue;
    // There may be more of them for the next worker.
    lookAfter = 0;
    return given;
  }
  return undefined;
}

const isOf = ({ node, worker }: Caller, job: Job): boolean => job.leaseHolder === node && job.worker === worker;

async function siblingSeconds({ videoUlid, planNumber, kind }: Job): Promise<number[]> {
  const siblings = await findJobs(videoUlid, planNumber, kind);
  return siblings.flatMap(({ status, tookSeconds }) => (status === 'DONE' && tookSeconds ? [tookSeconds] : []));
}
