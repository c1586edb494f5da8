import { now, timestamp } from '../../shared/clock.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { announceDone, announceFailed } from '../queue/job-owner.ts';
import { probePlanNumber } from '../table/job-id.ts';
import { findJobs } from '../table/jobs/job-table.ts';
import { joinQueue } from '../table/queue/queue-table.ts';
import type { Job } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

const parallelCalls = 10;

/**
 * Sends the results of a video's ended jobs again to the states that wait for them: the function that recorded a result
 * may have died before it sent it. A second one has no effect. Also puts the owner of queued jobs into the queue, from
 * which users are missing only after a fault.
 * @param answeredUpTo the results of jobs that ended until then were sent before
 * @returns how many states waited, and until when results have been sent now
 */
export async function resendResults(
  { video, edits }: WholeVideo,
  answeredUpTo: string,
): Promise<{ results: number; answeredUpTo: string }> {
  const upTo = timestamp(now() - repairDelayMilliseconds);
  const planNumbers = new Set([probePlanNumber, video.planNumber, ...edits.map(({ planNumber }) => planNumber)]);
  let results = 0;
  for (const planNumber of planNumbers) {
    const jobs = await findJobs(video.ulid, planNumber);
    if (jobs.some(({ status }) => status === 'QUEUED')) await joinQueue(video.ownerUlid, false, true);
    const ended = jobs.filter(
      ({ status, endedAt = '' }) =>
        (status === 'DONE' || status === 'FAILED') && endedAt > answeredUpTo && endedAt <= upTo,
    );
    await forEachSettled(
      ended,
      async (job) => {
        if (await resendResult(job)) results++;
      },
      parallelCalls,
    );
  }
  return { results, answeredUpTo: upTo };
}

/** False when nothing waits for the job, which is the normal case. */
const resendResult = async (job: Job): Promise<boolean> =>
  job.status === 'FAILED' && job.error ? announceFailed(job, job.error) : announceDone(job);
