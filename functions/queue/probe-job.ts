import { type ProbeResult, probeResultSchema } from '../../shared/protocol/probe-result.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { resultOf } from './job-results.ts';
import { probeId } from './probe-id.ts';

/** What is in a video's source. Throws when nobody has looked yet. */
export async function probeOf(videoUlid: string): Promise<ProbeResult> {
  const job = await findJob(probeId(videoUlid));
  return probeResultSchema.parse(
    job?.status === 'DONE' ? { ...(await resultOf(job)), warnings: job.warnings } : undefined,
  );
}
