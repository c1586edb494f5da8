/** Names of the errors that the state machine's retries are written against. */
export const stateErrors = {
  workerLost: 'Worker.Lost',
  jobTransient: 'Job.Transient',
  jobFatal: 'Job.Fatal',
  jobCancelled: 'Job.Cancelled',
} as const;

/** Codes that say what was wrong, stable for uploaders and operators. `INPUT_*` are the input's fault and never retried. */
export const jobErrorCodes = [
  'INPUT_EMPTY',
  'INPUT_NOT_MEDIA',
  'INPUT_NO_TRACKS',
  'INPUT_TRUNCATED',
  'INPUT_TOO_LARGE',
  'INPUT_UNSUPPORTED',
  'INPUT_GONE',
  'OUTPUT_NO_STREAMS',
  'OUTPUT_MISMATCH',
  'ENCODER_FAILED',
  'ENCODER_STALLED',
  'TIME_LIMIT',
  'MEMORY_LIMIT',
  'DISK_FULL',
  'STORE_FAILED',
  'CANCELLED',
  'INTERNAL',
] as const;
export type JobErrorCode = (typeof jobErrorCodes)[number];

/** A job's failure: a stable code, one sentence for the uploader, and whether trying again is useless. */
export class JobError extends Error {
  readonly code: JobErrorCode;
  readonly fatal: boolean;

  constructor(code: JobErrorCode, message: string, options: { fatal?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'JobError';
    this.code = code;
    this.fatal = options.fatal ?? (code.startsWith('INPUT_') || code === 'OUTPUT_NO_STREAMS');
  }
}
