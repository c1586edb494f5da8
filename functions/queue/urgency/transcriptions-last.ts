import { now } from '../../../shared/clock.ts';
import { findJobsById } from '../../table/jobs/job-table.ts';
import { queuedByAll, queuedJobs, transcriptionQueue } from '../../table/queue/queue-table.ts';

/** A transcription that has waited for so long is as important as an encode. */
const longestWaitMilliseconds = 30 * 60_000;

/**
 * Whether workers may begin transcriptions: when no other jobs wait for a worker, or when the next one has waited for
 * too long. They take a core for minutes, and the captions of a video are of no use before it plays.
 */
export async function mayTranscribe(): Promise<boolean> {
  const next = await queuedJobs(transcriptionQueue, 1);
  if (next.length === 0) return false;
  if ((await queuedByAll(1)).length === 0) return true;
  const [job] = await findJobsById(next.map(({ id }) => id));
  return job !== undefined && now() - Date.parse(job.queuedAt) > longestWaitMilliseconds;
}
