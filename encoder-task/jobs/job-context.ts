import type { JobLimits, JobSpec, StoredSegments } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';
import type { JobFiles } from '../transfer/job-files.ts';

/**
 * The environment of a job: the files of its lease, a temporary folder, and a signal that aborts when the job must
 * stop.
 */
export type JobContext<Spec extends JobSpec = JobSpec> = JobFiles & {
  spec: Spec;
  limits: JobLimits;
  /** a viewer may be waiting for the job */
  isUrgent: boolean;
  /** the store is in the worker's network */
  isNearStore?: boolean;
  folder: string;
  signal: AbortSignal;
  log: Log;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
  reportStored: (stored: StoredSegments) => void;
};
