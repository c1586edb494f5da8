import type { JobLimits, JobSpec } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';
import type { JobFiles } from '../transfer/job-files.ts';

/** All that a job has of the world: its lease, an empty folder that is dropped afterwards, and the word to stop. */
export type JobContext<Spec extends JobSpec = JobSpec> = JobFiles & {
  spec: Spec;
  limits: JobLimits;
  folder: string;
  signal: AbortSignal;
  log: Log;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
};
