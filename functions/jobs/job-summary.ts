import type * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import type { jobSummary } from '../contracts/fields/listed-job-fields.ts';
import type { JobStatus } from '../contracts/statuses.ts';
import { findJobStatuses } from '../table/jobs/job-table.ts';

/** How many jobs a plan has by kind and status. */
export type StatusCounts = Partial<Record<JobKind, Partial<Record<JobStatus, number>>>>;

/**
 * Counting reads all jobs of a plan, about 40 MB for ten thousand. Counts of plans with more than `maxRecounted` jobs
 * are kept for a while, since clients poll them.
 */
const maxRecounted = 1000;
const keptMilliseconds = 30_000;
const kept = createBoundedCache<{ counts: StatusCounts; atMilliseconds: number }>(50);

export async function countPlanJobs(videoUlid: string, planNumber: number): Promise<StatusCounts> {
  const key = `${videoUlid} ${planNumber}`;
  const known = kept.get(key);
  if (known && Math.abs(now() - known.atMilliseconds) < keptMilliseconds) return known.counts;
  const jobs = await findJobStatuses(videoUlid, planNumber);
  const counts: StatusCounts = {};
  for (const { kind, status } of jobs) {
    counts[kind] ??= {};
    counts[kind][status] = (counts[kind][status] ?? 0) + 1;
  }
  if (jobs.length > maxRecounted) kept.set(key, { counts, atMilliseconds: now() });
  return counts;
}

/** The counts of several plans together, a row for each kind that they have. `planned` includes jobs not yet queued. */
export function summarizeJobs(
  plans: readonly { counts: StatusCounts; planned: Partial<Record<JobKind, number>> }[],
): z.input<typeof jobSummary>[] {
  const rows = jobKinds.map((kind) => {
    const sum = (status: JobStatus): number =>
      plans.reduce((all, { counts }) => all + (counts[kind]?.[status] ?? 0), 0);
    const total = plans.reduce((all, { counts, planned }) => {
      const listed = Object.values(counts[kind] ?? {}).reduce((some, count) => some + count, 0);
      return all + Math.max(listed, planned[kind] ?? 0);
    }, 0);
    return {
      kind,
      total,
      queued: sum('QUEUED'),
      running: sum('LEASED'),
      completed: sum('DONE'),
      failed: sum('FAILED'),
      cancelled: sum('CANCELLED'),
    };
  });
  return rows.filter(({ total }) => total > 0);
}
