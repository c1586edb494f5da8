import { now } from '../../shared/clock.ts';
import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { Rung } from '../../shared/protocol/encode-spec.ts';
import { readPlanOf } from '../planning/stored-plans.ts';
import type { JobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';

/**
 * Of a worker with its ffmpeg, measured: with H.264 654 MiB for a ladder of 1080p (3.6 megapixels), 1,720 for one of
 * 2160p. Of the others by what ffmpeg 7.1 needs more for the same ladders (3.5 and 11.8 megapixels): VP9 125 and 145
 * MiB, HEVC 400 and 750, AV1 800 and 1,970.
 */
const memoryOf: Record<VideoCodec, { baseMib: number; mibPerMegapixel: number }> = {
  h264: { baseMib: 334, mibPerMegapixel: 89 },
  vp9: { baseMib: 454, mibPerMegapixel: 92 },
  hevc: { baseMib: 557, mibPerMegapixel: 134 },
  av1: { baseMib: 634, mibPerMegapixel: 231 },
};
/** For pictures and sources that need more than the measured ones. */
const margin = 1.15;

/** The memory that a container needs to encode these rungs at once. */
export function neededMib(rungs: readonly Pick<Rung, 'codec' | 'width' | 'height'>[]): number {
  const baseMib = Math.max(memoryOf.h264.baseMib, ...rungs.map(({ codec }) => memoryOf[codec].baseMib));
  const ofRungs = rungs.map(({ codec, width, height }) => (memoryOf[codec].mibPerMegapixel * width * height) / 1e6);
  return Math.ceil((baseMib + ofRungs.reduce((sum, mib) => sum + mib, 0)) * margin);
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
