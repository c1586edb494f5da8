import { now } from '../../shared/clock.ts';
import { type JobErrorCode, jobErrorCodes } from '../../shared/protocol/job-errors.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { readPlan } from '../planning/stored-plans.ts';
import type { Job } from '../table/records.ts';

/** Notes how long a job took its worker, and how fast a chunk was encoded. To be called once, by who took the result. */
export async function noteDone(job: Job): Promise<void> {
  if (!job.leasedAt) return;
  const tookSeconds = (now() - Date.parse(job.leasedAt)) / 1000;
  emitMetric('JobSeconds', tookSeconds, job.kind);
  if (job.kind === 'encode-video' && tookSeconds > 0) {
    emitMetric('EncodeSpeed', (await chunkLengthSeconds(job)) / tookSeconds);
  }
}

/** Of one attempt. Workers of another version may send codes that are not known here; each would be a metric of its own. */
export const noteFailed = (code: string): void => emitMetric('JobFailures', 1, knownCode(code));

export const knownCode = (code: string): JobErrorCode => jobErrorCodes.find((known) => known === code) ?? 'INTERNAL';

/** A chunk's work is its frames. */
async function chunkLengthSeconds({ videoUlid, planNumber, group, workUnits }: Job): Promise<number> {
  const { groups } = await readPlan(videoUlid, planNumber);
  const frameRate = groups[group]?.grid.frameRate;
  return frameRate ? (workUnits * frameRate.den) / frameRate.num : 0;
}
