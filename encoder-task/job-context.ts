import type { JobLimits, JobSpec, Lease } from '../shared/jobs.ts';
import type { Log } from './log.ts';

/** All that a job has of the world: its lease, an empty folder that is dropped afterwards, and the word to stop. */
export type JobContext<Spec extends JobSpec = JobSpec> = Pick<Lease, 'inputs' | 'outputs'> & {
  spec: Spec;
  limits: JobLimits;
  folder: string;
  signal: AbortSignal;
  log: Log;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
};
