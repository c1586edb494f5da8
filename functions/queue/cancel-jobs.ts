import { cancelJob, findJobs } from '../table/jobs/job-table.ts';

/** Ends all jobs of a run that nobody needs any more. Their workers are told at their next call. */
export async function cancelJobs(videoUlid: string, planNumber: number): Promise<void> {
  const jobs = await findJobs(videoUlid, planNumber);
  const open = jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED');
  await Promise.all(open.map((job) => cancelJob(job)));
}
