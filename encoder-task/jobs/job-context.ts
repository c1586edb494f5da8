import type { JobLimits, JobSpec, StoredSegments } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';
import type { ProcessPriority } from '../runtime/process-priority.ts';
import type { SpeechFiles } from '../speech/engine-process.ts';
import type { JobFiles } from '../transfer/job-files.ts';

/**
 * The environment of a job: the files of its lease, a temporary folder, and a signal that aborts when the job must
 * stop.
 */
export type JobContext<Spec extends JobSpec = JobSpec> = JobFiles & {
  spec: Spec;
  limits: JobLimits;
  /** of the processes that the job starts */
  priority: ProcessPriority;
  /** the store is in the worker's network */
  isNearStore?: boolean;
  /** undefined on a worker that does not transcribe */
  speech?: SpeechFiles | undefined;
  folder: string;
  signal: AbortSignal;
  log: Log;
  /** 0 to 1 */
  reportProgress: (fraction: number) => void;
  reportStored: (stored: StoredSegments) => void;
  /** of a job that runs beside another one: the processor time of its processes, also when it fails */
  countCpu: (seconds: number) => void;
};
