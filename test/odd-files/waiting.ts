import { type JobItem, jobsIn } from '../faults/table-records.ts';
import type { Item } from '../journey/account.ts';

/**
 * Jobs of good files that were overtaken by odd ones, a sentence each. A job that comes into the queue may have to wait until a worker ends what it has;
 * then it is the good user's turn, since that user had least. So of the odd files' attempts at most one for each worker may begin in the meantime.
 */
export function overtaken(items: readonly Item[], good: ReadonlySet<string>, workers: number): string[] {
  const all = jobsIn(items).filter(({ leasedAt }) => leasedAt !== undefined);
  const odd = all.filter(({ videoUlid }) => !good.has(videoUlid)).map(leasedMs);
  return all
    .filter(({ videoUlid }) => good.has(videoUlid))
    .flatMap((job) => {
      const between = odd.filter((at) => at > queuedMs(job) && at < leasedMs(job)).length;
      if (between <= workers) return [];
      return [`${between} attempts of odd files began while a good file's ${job.kind} of ${job.videoUlid} was queued`];
    });
}

/** The longest time that a job of these videos was queued. */
export const longestWaitSeconds = (items: readonly Item[], ulids: ReadonlySet<string>): number =>
  Math.max(
    0,
    ...jobsIn(items)
      .filter(({ videoUlid, leasedAt }) => ulids.has(videoUlid) && leasedAt !== undefined)
      .map((job) => (leasedMs(job) - queuedMs(job)) / 1000),
  );

const queuedMs = ({ queuedAt }: JobItem): number => Date.parse(String(queuedAt));
const leasedMs = ({ leasedAt }: JobItem): number => Date.parse(String(leasedAt));
