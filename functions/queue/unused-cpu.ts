import { cpuSecondsSchema } from '../../shared/protocol/probe-result.ts';
import { attemptOf } from '../table/jobs/job-attempts.ts';
import { recordSpentCpu } from '../table/jobs/job-endings.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { parseLease } from './granted-lease.ts';

export const cpuMillisecondsOf = (cpuSeconds: number): number => Math.round(cpuSeconds * 1000);

/**
 * Counts the CPU time of an attempt that failed, was cancelled or delivered too late: in the analytics, since the
 * operator pays for it, and not in the user's usage. Once for each lease.
 * @param reported as the worker sent it, not validated
 */
export async function countUnusedCpu(lease: string, reported: unknown): Promise<void> {
  const { data: cpuSeconds = 0 } = cpuSecondsSchema.safeParse(reported);
  const cpuMilliseconds = cpuMillisecondsOf(cpuSeconds);
  const id = parseLease(lease);
  const job = cpuMilliseconds > 0 && id ? await findJob(id) : undefined;
  const attempt = job && attemptOf(job, lease);
  if (!job || !attempt || (job.status === 'DONE' && job.attempt === attempt)) return;
  await recordSpentCpu(job, attempt, cpuMilliseconds);
}
