import type * as z from 'zod';
import type { jobRoutes } from '../contracts/routes/job-routes.ts';
import { serializeJob } from '../serializers/serialize-job.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { probePlanNumber } from '../table/job-id.ts';
import type { Job, User } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { formatJobCursor, parseJobCursor, readJobPage, shownPlans } from './job-pages.ts';
import { countPlanJobs, summarizeJobs } from './job-summary.ts';
import { partsOf, plannedJobs } from './planned-jobs.ts';

type Query = z.output<typeof jobRoutes.list.query>;

const noParts = { streams: [], output: null };

/** The answer of GET /api/videos/{ulid}/jobs. */
export async function listJobs(
  whole: WholeVideo,
  { cursor, per_page: perPage }: Query,
  user: User,
): Promise<z.input<typeof jobRoutes.list.answer>> {
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
