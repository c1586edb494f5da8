import { now } from '../../shared/clock.ts';
import { sendTaskSuccess } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { sourceRun } from '../queue/probe-id.ts';
import { answerFailure } from '../queue/report.ts';
import { queryIndex } from '../table/items/items.ts';
import { owned } from '../table/items/keys.ts';
import { findJobs } from '../table/queue/job-table.ts';
import { joinQueue } from '../table/queue/queue-table.ts';
import type { Job } from '../table/records.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { patienceMilliseconds } from './repair-delay.ts';

export type RepairedJobs = { answers: number };

/** Two turns look at each end of a job; what was then told is known to have been told. */
const lookedAtMilliseconds = 35 * 60_000;

/**
 * Jobs that ended while the state that waits for them was not told, since the function died between the two. Told again it does no harm. The owners of
 * queued jobs are put into the queue in passing, where they are already but for a fault.
 */
export async function reconcileJobs(): Promise<RepairedJobs> {
  let answers = 0;
  const changes = await queryIndex('byOwner', owned('all', 'stream-edit', '').ownerKey);
  const working = await queryIndex('byOwner', owned('all', 'working', '').ownerKey);
  const ulids = new Set([...working, ...changes].map(({ ownerSort }) => String(ownerSort).split('#')[0]!));
  await forEachSettled(ulids, async (ulid) => {
    const whole = await findWholeVideo(ulid);
    if (!whole) return;
    const runs = new Set([sourceRun, whole.video.planNumber, ...whole.edits.map(({ planNumber }) => planNumber)]);
    for (const planNumber of runs) {
      const jobs = await findJobs(ulid, planNumber);
      if (jobs.some(({ status }) => status === 'QUEUED')) await joinQueue(whole.video.ownerUlid);
      for (const job of jobs.filter(hasEndedLately)) if (await told(job)) answers++;
    }
  });
  return { answers };
}

function hasEndedLately({ status, endedAt }: Job): boolean {
  if ((status !== 'DONE' && status !== 'FAILED') || endedAt === undefined) return false;
  const ageMilliseconds = now() - Date.parse(endedAt);
  return ageMilliseconds > patienceMilliseconds && ageMilliseconds < lookedAtMilliseconds;
}

/** False when nobody waits for it, which is how it should be. */
const told = async (job: Job): Promise<boolean> =>
  job.status === 'FAILED' && job.error ? answerFailure(job.taskToken, job.error) : sendTaskSuccess(job.taskToken);
