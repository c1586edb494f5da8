import { findJobAndVideo, type VideoOfJob } from '../table/jobs/job-and-video.ts';
import { attemptOf } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';
import { parseLease } from './lease-id.ts';
import { isWanted } from './needs-work.ts';

/** A lease that was given once, with the job as it is now. */
export type GivenLease = { job: Job; attempt: number; about: VideoOfJob };

/** The lease of that name. Undefined when there never was one, or the video does not need the job any more. */
export async function givenLease(lease: string): Promise<GivenLease | undefined> {
  const id = parseLease(lease);
  if (!id) return undefined;
  const { job, about } = await findJobAndVideo(id);
  const attempt = job && attemptOf(job, lease);
  return attempt && about && isWanted(about, job) ? { job, attempt, about } : undefined;
}

/** A job that still has to be done, by whomever. */
export const isOpen = ({ status, error }: Job): boolean =>
  status === 'QUEUED' || status === 'LEASED' || (status === 'FAILED' && error?.fatal === false);
