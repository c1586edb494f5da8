import type { VideoOfJob } from '../table/jobs/job-and-video.ts';
import type { Job } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { isCurrentPlan } from '../table/videos/run.ts';
import { sourceRun } from './probe-id.ts';

/** Whether the video still needs what a job makes: its run goes on, and has not ended without it. */
export const isWanted = (about: VideoOfJob, { planNumber }: Pick<Job, 'planNumber'>): boolean =>
  planNumber === about.video.planNumber || planNumber === sourceRun
    ? !isFinal(about.video.status)
    : isCurrentPlan(about, planNumber);
