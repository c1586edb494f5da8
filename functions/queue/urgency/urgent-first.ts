import { now } from '../../../shared/clock.ts';
import { isForFetchers } from '../../../shared/protocol/job-kinds.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import type { Plan } from '../../planning/encoding-plan.ts';
import { readPlanOf } from '../../stored-plans/stored-plans.ts';
import { type JobId, jobName } from '../../table/job-id.ts';
import { findJob, findJobsById } from '../../table/jobs/job-table.ts';
import { isUrgent } from './is-urgent.ts';

/** How long a job waits for the urgent jobs of its plan. */
export const longestWaitMilliseconds = 1_000;

/** Chunks and audio tracks of a plan that are looked at. More of them do not delay the first frame. */
const maxUrgent = 6;

/** Plans whose urgent jobs workers had all leased when this instance looked. */
const begunPlans = createBoundedCache<true>(100);

/**
 * Whether a job is left in the queue because no worker has leased an urgent job that is due before it. A map run queues
 * the jobs of a plan at about the same time and in any order, and a worker that took a later one would encode it for
 * seconds while a viewer waits for the first frame.
 */
export async function waitsForUrgentJobs(id: JobId): Promise<boolean> {
  if (id.kind === 'probe' || id.kind === 'transcribe' || isForFetchers(id.kind)) return false;
  const planName = `${id.videoUlid} ${id.planNumber}`;
  if (begunPlans.get(planName)) return false;
  const plan = await readPlanOf(id);
  const urgent = urgentJobs(plan).map((job): JobId => ({ ...id, ...job }));
  const index = urgent.findIndex((job) => jobName(job) === jobName(id));
  const before = index < 0 ? urgent : urgent.slice(0, index);
  const found = before.length > 0 ? await findJobsById(before) : [];
  // One that is still queued came after this worker had read the queue.
  if (found.length === before.length && found.every(({ status }) => status !== 'QUEUED')) {
    if (index < 0) begunPlans.set(planName, true);
    return false;
  }
  const job = await findJob(id);
  return job !== undefined && now() - Date.parse(job.queuedAt) < longestWaitMilliseconds;
}

/** The urgent jobs of a plan in the order in which they are due: the first chunk, the audio, the other short chunks. */
export function urgentJobs(plan: Plan): Pick<JobId, 'kind' | 'group' | 'index'>[] {
  const chunks = (plan.groups[0]?.chunks ?? []).map((_, index) => ({ kind: 'encode-video' as const, group: 0, index }));
  const tracks = plan.audio.map((_, index) => ({ kind: 'encode-audio' as const, group: 0, index }));
  const all = [...chunks.slice(0, 1), ...tracks, ...chunks.slice(1, maxUrgent)];
  return all.filter((job) => isUrgent(job, plan)).slice(0, maxUrgent);
}
