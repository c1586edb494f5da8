import { now } from '../../shared/clock.ts';
import type { Rung } from '../../shared/protocol/encode-spec.ts';
import { readPlanOf } from '../planning/stored-plans.ts';
import type { JobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';

/** Of a worker with its ffmpeg, measured: 654 MiB for a ladder of 1080p (3.6 megapixels), 1,720 for one of 2160p. */
const baseMib = 334;
const mibPerMegapixel = 89;
/** For pictures and sources that need more than the measured ones. */
const margin = 1.15;

/** The memory that a container needs to encode these rungs at once. */
export function neededMib(rungs: readonly Pick<Rung, 'width' | 'height'>[]): number {
  const megapixels = rungs.reduce((sum, { width, height }) => sum + (width * height) / 1e6, 0);
  return Math.ceil((baseMib + mibPerMegapixel * megapixels) * margin);
}

/**
 * A job that has waited longer is leased to any worker: there may be no other, and one that runs out of memory says so.
 */
const longestWaitMilliseconds = 600_000;

/** Whether a job is left to a worker with more memory than `memoryMib`, which is undefined if it is not known. */
export async function needsMoreMemory(id: JobId, memoryMib: number | undefined): Promise<boolean> {
  if (memoryMib === undefined || id.kind !== 'encode-video') return false;
  const { rungs = [] } = (await readPlanOf(id)).groups[id.group] ?? {};
  if (neededMib(rungs) <= memoryMib) return false;
  const job = await findJob(id);
  return job !== undefined && now() - Date.parse(job.queuedAt) < longestWaitMilliseconds;
}
