import { now } from '../../shared/clock.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { announceDone, announceFailed } from '../queue/job-owner.ts';
import { probePlanNumber } from '../table/job-id.ts';
import { findJobs } from '../table/jobs/job-table.ts';
import { joinQueue } from '../table/queue/queue-table.ts';
import type { Job } from '../table/records.ts';
import { listStreamEdits } from '../table/stream-edits/stream-edit-table.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { listWorkingVideos } from '../table/videos/working-videos.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedJobs = { answers: number };

/**
 * Longer than two intervals of reconcile (15 minutes) after the repair delay, so that each ended job is seen at least
 * once.
 */
const maxAgeMilliseconds = 35 * 60_000;

/**
 * Answers the states that wait for jobs which have ended: the function that recorded a result may have died before it
 * sent the answer. A second answer has no effect. Also puts the owners of queued jobs into the queue, from which they
 * are missing only after a fault.
 */
export async function reconcileJobs(): Promise<RepairedJobs> {
  let answers = 0;
  const edited = (await listStreamEdits()).map(({ videoUlid }) => videoUlid);
  const ulids = new Set([...(await listWorkingVideos()), ...edited]);
  await forEachSettled(ulids, async (ulid) => {
    const whole = await findWholeVideo(ulid);
    if (!whole) return;
    const planNumbers = new Set([
      probePlanNumber,
      whole.video.planNumber,
      ...whole.edits.map(({ planNumber }) => planNumber),
    ]);
    for (const planNumber of planNumbers) {
      const jobs = await findJobs(ulid, planNumber);
      if (jobs.some(({ status }) => status === 'QUEUED')) await joinQueue(whole.video.ownerUlid, false);
      for (const job of jobs.filter(isDue)) if (await answerAgain(job)) answers++;
    }
  });
  return { answers };
}

function isDue({ status, endedAt }: Job): boolean {
  if ((status !== 'DONE' && status !== 'FAILED') || endedAt === undefined) return false;
  const ageMilliseconds = now() - Date.parse(endedAt);
  return ageMilliseconds > repairDelayMilliseconds && ageMilliseconds < maxAgeMilliseconds;
}

/** False when nothing waits for the job, which is the normal case. */
const answerAgain = async (job: Job): Promise<boolean> =>
  job.status === 'FAILED' && job.error ? announceFailed(job, job.error) : announceDone(job);
