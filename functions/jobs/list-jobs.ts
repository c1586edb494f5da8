import type * as z from 'zod';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { jobRoutes } from '../contracts/routes/job-routes.ts';
import { serializeJob } from '../serializers/serialize-job.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { type JobId, probePlanNumber } from '../table/job-id.ts';
import { findJobsAfter } from '../table/jobs/job-table.ts';
import type { Job, User, Video } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { countPlanJobs, summarizeJobs } from './job-summary.ts';
import { partsOf, plannedJobs } from './planned-jobs.ts';

type Query = z.output<typeof jobRoutes.list.query>;

const noParts = { streams: [], output: null };

/** The response of GET /api/videos/{ulid}/jobs. */
export async function listJobs(
  whole: WholeVideo,
  { cursor, per_page: perPage }: Query,
  user: User,
): Promise<z.input<typeof jobRoutes.list.response>> {
  const { ulid } = whole.video;
  const planNumbers = shownPlans(whole.video);
  const after = cursor === undefined ? undefined : parseJobCursor(ulid, cursor);
  const [{ jobs, next }, counts] = await Promise.all([
    readJobPage(ulid, planNumbers, { after, limit: perPage }),
    Promise.all(planNumbers.map((planNumber) => countPlanJobs(ulid, planNumber))),
  ]);
  const plans = await Promise.all(
    planNumbers.map((planNumber, position) =>
      // A plan is stored before its first job is queued.
      planNumber !== probePlanNumber && Object.keys(counts[position]!).length > 0
        ? readPlan(ulid, planNumber)
        : undefined,
    ),
  );
  const planOf = (job: Job) => plans[planNumbers.indexOf(job.planNumber)];
  return {
    data: jobs.map((job) => {
      const plan = planOf(job);
      return serializeJob(job, plan ? partsOf(whole, plan, job) : noParts, user);
    }),
    meta: { next_cursor: next ? formatJobCursor(next) : null, per_page: perPage },
    summary: summarizeJobs(
      plans.map((plan, position) => ({ counts: counts[position]!, planned: plan ? plannedJobs(plan) : {} })),
    ),
  };
}

/** The plans whose jobs a video shows: the probe, its present plan and its running stream edit. */
const shownPlans = ({ planNumber, editPlanNumber }: Pick<Video, 'planNumber' | 'editPlanNumber'>): number[] => [
  probePlanNumber,
  planNumber,
  ...(editPlanNumber === undefined ? [] : [editPlanNumber]),
];

/** A page of the jobs of several plans. `next` is its last job when there are more. */
async function readJobPage(
  videoUlid: string,
  plans: readonly number[],
  { after, limit }: { after: JobId | undefined; limit: number },
): Promise<{ jobs: Job[]; next: JobId | undefined }> {
  const found: Job[] = [];
  for (const plan of plans) {
    if (after && plan < after.planNumber) continue;
    const behind = after?.planNumber === plan ? after : undefined;
    found.push(...(await findJobsAfter(videoUlid, plan, behind, limit + 1 - found.length)));
    if (found.length > limit) break;
  }
  const jobs = found.slice(0, limit);
  return { jobs, next: found.length > limit ? jobs.at(-1) : undefined };
}

const formatJobCursor = ({ planNumber, kind, group, index }: JobId): string =>
  [planNumber, kind, group, index].join('.');

/** The job that a cursor names. The text matches `jobCursorPattern`. */
function parseJobCursor(videoUlid: string, cursor: string): JobId {
  const [plan, kindText, group, index] = cursor.split('.');
  const kind = jobKinds.find((known) => known === kindText) ?? 'probe';
  return { videoUlid, planNumber: Number(plan), kind, group: Number(group), index: Number(index) };
}
