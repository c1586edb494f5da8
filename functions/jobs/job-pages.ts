import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import { type JobId, probePlanNumber } from '../table/job-id.ts';
import { findJobsAfter } from '../table/jobs/job-table.ts';
import type { Job, Video } from '../table/records.ts';

/** The plans whose jobs a video shows: the probe, its present plan and its running stream edit. */
export const shownPlans = ({ planNumber, editPlanNumber }: Pick<Video, 'planNumber' | 'editPlanNumber'>): number[] => [
  probePlanNumber,
  planNumber,
  ...(editPlanNumber === undefined ? [] : [editPlanNumber]),
];

/** A page of the jobs of several plans. `next` is its last job when there are more. */
export async function readJobPage(
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

export const formatJobCursor = ({ planNumber, kind, group, index }: JobId): string =>
  [planNumber, kind, group, index].join('.');

/** The job that a cursor names. The text matches `jobCursorPattern`. */
export function parseJobCursor(videoUlid: string, cursor: string): JobId {
  const [plan, kindText, group, index] = cursor.split('.');
  const kind = jobKinds.find((known) => known === kindText) ?? 'probe';
  return { videoUlid, planNumber: Number(plan), kind, group: Number(group), index: Number(index) };
}
