import { type JobItem, jobsIn } from '../faults/table-records.ts';
import type { Item } from '../journey/account.ts';

/**
 * Jobs of good files that were overtaken by odd ones, a sentence each. A job that comes into the queue may have to wait until a worker ends what it has;
 * then it is the good user's turn, since that user had least. So at most one odd attempt of each worker may end in the meantime: a second one of the
 * same worker would have begun after the good job was there.
 */
export function overtaken(items: readonly Item[], good: ReadonlySet<string>, workers: number): string[] {
  const odd = jobsIn(items)
    .filter(({ videoUlid }) => !good.has(videoUlid))
    .map(endedMs);
  return doneJobsOf(items, good).flatMap((job) => {
    const between = odd.filter((at) => at > queuedMs(job) && at < leasedMs(job)).length;
    if (between <= workers) return [];
    return [`${between} attempts at odd files ended while a good file's ${job.kind} of ${job.videoUlid} was queued`];
  });
}

/** How long the jobs of these videos were queued, from the shortest to the longest. */
export const waitsSeconds = (items: readonly Item[], ulids: ReadonlySet<string>): number[] =>
  doneJobsOf(items, ulids)
    .map((job) => (leasedMs(job) - queuedMs(job)) / 1000)
    .sort((a, b) => a - b);

const doneJobsOf = (items: readonly Item[], ulids: ReadonlySet<string>): JobItem[] =>
  jobsIn(items).filter(({ videoUlid, tookSeconds }) => ulids.has(videoUlid) && tookSeconds !== undefined);

const queuedMs = ({ queuedAt }: JobItem): number => Date.parse(String(queuedAt));
const endedMs = ({ endedAt }: JobItem): number => Date.parse(String(endedAt));
/** Of a job that is done, its record keeps how long it took. */
const leasedMs = (job: JobItem): number => endedMs(job) - Number(job.tookSeconds) * 1000;
