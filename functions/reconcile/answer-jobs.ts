import { now, timestamp } from '../../shared/clock.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { announceDone, announceFailed } from '../queue/job-owner.ts';
import { probePlanNumber } from '../table/job-id.ts';
import { findJobs } from '../table/jobs/job-table.ts';
import { joinQueue } from '../table/queue/queue-table.ts';
import type { Job } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

const parallelAnswers = 10;

/**
 * Answers the states that wait for jobs of a video which have ended: the function that recorded a result may have died
 * before it sent the answer. A second answer has no effect. Also puts the owner of queued jobs into the queue, from
 * which users are missing only after a fault.
 * @param answeredUpTo jobs that ended until then were answered before
 * @returns how many states waited, and until when jobs have been answered now
 */
export async function answerJobs(
  { video, edits }: WholeVideo,
  answeredUpTo: string,
): Promise<{ answers: number; answeredUpTo: string }> {
  const upTo = timestamp(now() - repairDelayMilliseconds);
  const planNumbers = new Set([probePlanNumber, video.planNumber, ...edits.map(({ planNumber }) => planNumber)]);
  let answers = 0;
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
        if (await answerAgain(job)) answers++;
      },
      parallelAnswers,
    );
  }
  return { answers, answeredUpTo: upTo };
}

/** False when nothing waits for the job, which is the normal case. */
const answerAgain = async (job: Job): Promise<boolean> =>
  job.status === 'FAILED' && job.error ? announceFailed(job, job.error) : announceDone(job);
