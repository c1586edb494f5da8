import { type ProbeResult, probeResultSchema } from '../../shared/probe.ts';
import { findJob } from '../../shared/table/jobs.ts';
import type { JobId } from '../../shared/table/keys.ts';
import { resultOf } from './results.ts';

/** The run of jobs that belong to the source and not to a plan of it: a file is looked at once, whatever is made of it later. */
export const sourceRun = 0;

export const probeId = (videoUlid: string): JobId => ({ videoUlid, run: sourceRun, kind: 'probe', group: 0, index: 0 });

/** What is in a video's source. Throws when nobody has looked yet. */
export async function probeOf(videoUlid: string): Promise<ProbeResult> {
  const job = await findJob(probeId(videoUlid));
  return probeResultSchema.parse(
    job?.status === 'DONE' ? { ...(await resultOf(job)), warnings: job.warnings } : undefined,
  );
}
