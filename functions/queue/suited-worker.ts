import { now } from '../../shared/clock.ts';
import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { JobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { encoderOfPlan } from '../table/jobs/plan-encoders.ts';
import type { Caller } from './caller.ts';

/**
 * A job that has waited longer is leased to workers with less memory or other versions of encoders: there may be no
 * other worker. One that runs out of memory says so, and headers that do not fit together are found when the video is
 * packaged.
 */
const longestWaitMilliseconds = 600_000;

type Needs = { id: JobId; memoryMib?: number | undefined; codecs?: readonly VideoCodec[] | undefined };

/**
 * Whether a worker leaves a job to another one: one with an encoder that this one lacks, with more memory, or with the
 * versions of encoders that encode the job's plan.
 */
export async function isLeftToAnother(needs: Needs, caller: Pick<Caller, 'memoryMib' | 'encoders'>): Promise<boolean> {
  const { id, codecs = [], memoryMib = 0 } = needs;
  const { encoders } = caller;
  if (encoders && codecs.some((codec) => encoders[codec] === undefined)) return true;
  const hasMemory = caller.memoryMib === undefined || memoryMib <= caller.memoryMib;
  if (hasMemory && (!encoders || (await areOfPlan(id, codecs, encoders)))) return false;
  const job = await findJob(id);
  return job !== undefined && now() - Date.parse(job.queuedAt) < longestWaitMilliseconds;
}

/** The chunks of a rendition have one header, and those of another version may need another one. */
async function areOfPlan(
  { videoUlid, planNumber }: JobId,
  codecs: readonly VideoCodec[],
  encoders: NonNullable<Caller['encoders']>,
): Promise<boolean> {
  for (const codec of codecs) {
    const version = encoders[codec] ?? '';
    if ((await encoderOfPlan({ videoUlid, planNumber, codec }, version)) !== version) return false;
  }
  return true;
}
