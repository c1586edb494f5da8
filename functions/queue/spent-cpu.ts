import { day } from '../../shared/clock.ts';
import { cpuSecondsSchema } from '../../shared/protocol/probe-result.ts';
import { write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { attemptOf, findJob, markSpent } from '../table/jobs/job-table.ts';
import { parseLease } from './lease-id.ts';

export const cpuMsOf = ({ cpuSeconds }: { cpuSeconds: number }): number => Math.round(cpuSeconds * 1000);

/** Adds to what operators see. It is in no transaction, since all workers of the service would hold each other up there. */
export async function noteCpu(cpuMs: number): Promise<void> {
  if (cpuMs > 0) await write({ update: keys.analytics(day()), set: { kind: 'analytics' }, add: { cpuMs } });
}

/**
 * Counts the CPU time of an attempt that failed, was cancelled or whose result came too late: for the operator, who pays for it, and not for the user.
 * Once for each lease that was given.
 */
export async function noteSpentCpu(lease: string, said: unknown): Promise<void> {
  const { data: cpuSeconds = 0 } = cpuSecondsSchema.safeParse(said);
  const cpuMs = cpuMsOf({ cpuSeconds });
  const id = parseLease(lease);
  const job = cpuMs > 0 && id ? await findJob(id) : undefined;
  const attempt = job && attemptOf(job, lease);
  if (!job || !attempt || (job.status === 'DONE' && job.attempt === attempt)) return;
  if (await markSpent(job, attempt, cpuMs)) await noteCpu(cpuMs);
}
