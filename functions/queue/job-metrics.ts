import { now } from '../../shared/clock.ts';
import { knownCode } from '../../shared/protocol/job-errors.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import type { Job } from '../table/records.ts';

/**
 * Emits how long a job took, and how fast a chunk was encoded. Called once for each job, after its result is stored.
 */
export async function emitJobDone(job: Job): Promise<void> {
  if (!job.leasedAt) return;
  const tookSeconds = (now() - Date.parse(job.leasedAt)) / 1000;
  emitMetric('JobSeconds', tookSeconds, job.kind);
  if (job.kind === 'encode-video' && tookSeconds > 0) {
    emitMetric('EncodeSpeed', (await chunkLengthSeconds(job)) / tookSeconds);
  }
}

/**
 * Emits the failure of an attempt. Codes that only other versions of the worker know count as INTERNAL, to bound the
 * metric's dimensions.
 */
export const emitJobFailed = (code: string): void => emitMetric('JobFailures', 1, knownCode(code));

async function chunkLengthSeconds(job: Job): Promise<number> {
  const { grid, chunks } = (await readPlanOf(job)).groups[job.group] ?? {};
  const chunk = chunks?.[job.index];
  return grid && chunk ? ((chunk.endFrame - chunk.startFrame) * grid.frameRate.den) / grid.frameRate.num : 0;
}
