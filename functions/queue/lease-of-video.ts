import type { Lease } from '../../shared/protocol/jobs.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import type { VideoOfJob } from '../table/jobs/job-table.ts';
import type { VideoJob } from '../table/records.ts';
import { findWholeVideo, moveOutput, moveStream, type WholeVideo } from '../table/videos/video-table.ts';
import { composeLease } from './compose-lease.ts';
import { type GrantedLease, isNeeded } from './granted-lease.ts';

/** The lease of a job of a video; undefined when nothing needs the job. */
export async function leaseOfVideo(job: VideoJob, reported?: GrantedLease): Promise<Lease | undefined> {
  const videoOfJob = await findVideoOfJob(job, reported);
  return videoOfJob && isNeeded(videoOfJob, job) ? composeLease(job, videoOfJob.video) : undefined;
}

/** Plans whose streams and outputs this instance knows to be running. */
const startedPlans = createBoundedCache<true>(100);

/**
 * The video of a job. What the worker's report has read of the same plan is used again, once this instance knows that
 * the plan is started. When the video was deleted since, the worker loses no more than if it were deleted right after.
 */
async function findVideoOfJob(job: VideoJob, reported?: GrantedLease): Promise<VideoOfJob | undefined> {
  const { videoUlid, planNumber, kind } = job;
  const plan = `${videoUlid} ${planNumber}`;
  const isSamePlan = reported?.job.videoUlid === videoUlid && reported.job.planNumber === planNumber;
  if (isSamePlan && 'videoOfJob' in reported && startedPlans.get(plan)) return reported.videoOfJob;
  const whole = await findWholeVideo(videoUlid);
  if (whole && isNeeded(whole, job) && (kind === 'encode-video' || kind === 'encode-audio')) {
    await markRunning(whole);
    startedPlans.set(plan, true);
  }
  return whole;
}

/**
 * Moves pending outputs and streams to running with the first encode job of a plan. Nothing is pending for later jobs.
 */
async function markRunning({ video, outputs, streams }: WholeVideo): Promise<void> {
  await Promise.all([
    ...outputs.filter(({ status }) => status === 'pending').map(({ ulid }) => moveOutput(video, ulid, 'running')),
    ...streams.filter(({ status }) => status === 'pending').map(({ ulid }) => moveStream(video, ulid, 'running')),
  ]);
}
