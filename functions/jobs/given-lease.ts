import type { Job } from '../../shared/records.ts';
import { attemptOf, findJob } from '../../shared/table/jobs.ts';
import { findWholeVideo, type WholeVideo } from '../../shared/table/videos.ts';
import { parseLease } from './lease-id.ts';
import { isWanted } from './wanted.ts';

/** A lease that was given once, with the job as it is now. */
export type GivenLease = { job: Job; attempt: number; whole: WholeVideo };

/** The lease of that name. Undefined when there never was one, or the video does not need the job any more. */
export async function givenLease(lease: string): Promise<GivenLease | undefined> {
  const id = parseLease(lease);
  const job = id && (await findJob(id));
  const attempt = job && attemptOf(job, lease);
  if (!attempt) return undefined;
  const whole = await findWholeVideo(job.videoUlid);
  return whole && isWanted(whole, job) ? { job, attempt, whole } : undefined;
}

/** A job that still has to be done, by whomever. */
export const isOpen = ({ status, error }: Job): boolean =>
  status === 'QUEUED' || status === 'LEASED' || (status === 'FAILED' && error?.fatal === false);
