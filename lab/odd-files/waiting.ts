import type { Item } from '../../test/journey/support/account.ts';
import { type JobItem, jobsIn } from '../faults/checks/table-records.ts';

/**
 * Jobs of good files that odd files delayed, one sentence each. The queue shares workers between users by the estimated
 * cost of their jobs. While the job of a good file is queued, odd files may get as much work as good files, plus one
 * job per user and the jobs that were already running.
 */
export function overtaken(items: readonly Item[], good: ReadonlySet<string>, workers: number): string[] {
  const all = jobsIn(items).filter(({ endedAt }) => endedAt !== undefined);
  const goodJobs = doneJobsOf(items, good);
  const odd = all.filter(({ videoUlid }) => !good.has(videoUlid));
  const slack = (workers + 2) * Math.max(0, ...all.map(costSeconds));
  return goodJobs.flatMap((job) => {
    const isMeanwhile = (ms: number): boolean => ms > queuedMs(job) && ms <= leasedMs(job);
    // the record of a failed job has no start time
    const oddSeconds = costOf(odd.filter((other) => isMeanwhile(endedMs(other))));
    const goodSeconds = costOf(goodJobs.filter((other) => isMeanwhile(leasedMs(other))));
    if (oddSeconds <= goodSeconds + slack) return [];
    const work = `${oddSeconds} s of work for odd files and ${goodSeconds} s for good ones`;
    return [`${work} were done while the ${job.kind} of the good file ${job.videoUlid} was queued`];
  });
}

/** Queue times of the jobs of these videos, ascending. */
export const waitsSeconds = (items: readonly Item[], ulids: ReadonlySet<string>): number[] =>
  doneJobsOf(items, ulids)
    .map((job) => (leasedMs(job) - queuedMs(job)) / 1000)
    .sort((a, b) => a - b);

const doneJobsOf = (items: readonly Item[], ulids: ReadonlySet<string>): JobItem[] =>
  jobsIn(items).filter(({ videoUlid, tookSeconds }) => ulids.has(videoUlid) && tookSeconds !== undefined);

const costSeconds = ({ estimateSeconds }: JobItem): number => Number(estimateSeconds);
const costOf = (jobs: readonly JobItem[]): number => jobs.reduce((sum, job) => sum + costSeconds(job), 0);

const queuedMs = ({ queuedAt }: JobItem): number => Date.parse(String(queuedAt));
const endedMs = ({ endedAt }: JobItem): number => Date.parse(String(endedAt));
/** Only the record of a completed job has its duration. */
const leasedMs = (job: JobItem): number => endedMs(job) - Number(job.tookSeconds) * 1000;
