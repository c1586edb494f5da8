import { type ProbeResult, probeResultSchema } from '../../shared/probe.ts';
import { findJob } from '../../shared/table/jobs.ts';
import { probeId } from './probe-id.ts';
import { resultOf } from './results.ts';

/** What is in a video's source. Throws when nobody has looked yet. */
export async function probeOf(videoUlid: string): Promise<ProbeResult> {
  const job = await findJob(probeId(videoUlid));
  return probeResultSchema.parse(
    job?.status === 'DONE' ? { ...(await resultOf(job)), warnings: job.warnings } : undefined,
  );
}
