/** Error names that the retry rules of the state machine match. */
export const stateErrors = {
  workerLost: 'Worker.Lost',
  jobTransient: 'Job.Transient',
  jobFatal: 'Job.Fatal',
  jobCancelled: 'Job.Cancelled',
} as const;

/**
 * Stable error codes for uploaders and operators. `INPUT_*` are faults of the source and never retried. `STORAGE_*` and
 * the two below them end a delivery to a storage.
 */
export const jobErrorCodes = [
  'INPUT_EMPTY',
  'INPUT_NOT_MEDIA',
  'INPUT_NO_TRACKS',
  'INPUT_TRUNCATED',
  'INPUT_DAMAGED',
  'INPUT_ENCRYPTED',
  'INPUT_TOO_LARGE',
  'INPUT_UNSUPPORTED',
  'INPUT_CLIP_EMPTY',
  'INPUT_CROP_EMPTY',
  'INPUT_TRACK_MISSING',
  'INPUT_GONE',
  'INPUT_UNREACHABLE',
  'INPUT_CHANGED',
  'INPUT_ADDRESS',
  'STORAGE_REFUSED',
  'STORAGE_FAILED',
  'STORAGE_ADDRESS',
  'STORAGE_MISMATCH',
  'STORAGE_GONE',
  'VIDEO_CHANGED',
  'FILES_MISSING',
  'OUTPUT_NO_STREAMS',
  'QUOTA_EXCEEDED',
  'REPLACE_CONFLICT',
  'OUTPUT_MISMATCH',
  'RESULT_REFUSED',
  'ENCODER_FAILED',
  'ENCODER_STALLED',
  'TIME_LIMIT',
  'MEMORY_LIMIT',
  'DISK_FULL',
  'STORE_FAILED',
  'MODEL_UNUSABLE',
  'CANCELLED',
  'WORKER_STOPPED',
  'INTERNAL',
] as const;
export type JobErrorCode = (typeof jobErrorCodes)[number];

/** The code, or INTERNAL for one that only another version of the worker knows. */
export const knownCode = (code: string): JobErrorCode => jobErrorCodes.find((known) => known === code) ?? 'INTERNAL';

/** Whether the cause is the source, the template or the quota: the uploader can remove it, and a retry cannot. */
export const isForUploader = (code: string): boolean =>
  code.startsWith('INPUT_') || code === 'OUTPUT_NO_STREAMS' || code === 'QUOTA_EXCEEDED';

/** Whether the cause is the storage to which files are delivered: its owner can remove it. */
export const isOfStorage = (code: string): boolean => code.startsWith('STORAGE_');

/** The failure of a job: a stable code and one sentence for the uploader. A fatal failure is not retried. */
export class JobError extends Error {
  readonly code: JobErrorCode;
  readonly fatal: boolean;

  constructor(code: JobErrorCode, message: string, options: { fatal?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'JobError';
    this.code = code;
    this.fatal = options.fatal ?? isForUploader(code);
  }
}

/**
 * An error that the state machine matches by name, thrown by a function or sent for a job. `message` is `CODE:
 * sentence`.
 */
export class StateError extends Error {
  constructor(name: (typeof stateErrors)[keyof typeof stateErrors], code: JobErrorCode, message: string) {
    super(`${code}: ${message}`);
    this.name = name;
  }
}

/**
 * The error of a state machine as the uploader sees it, `CODE: sentence`. Faults of the source are passed on. The text
 * of other errors may name internals, so it stays in the history of the execution and the uploader gets a general
 * sentence. `ofFinishedParts`: the error is of a step that combines the results of finished jobs. Reprocessing reuses
 * those results unless it is forced.
 */
export function causeText(
  error: { Error?: string | undefined; Cause?: string | undefined },
  { ofFinishedParts = false } = {},
): string {
  const cause = error.Cause ?? '';
  const functionMessage = lambdaMessage(cause);
  const text = functionMessage ?? cause;
  const code = /^([A-Z][A-Z0-9_]+): /.exec(text)?.[1] ?? (error.Error === 'States.Timeout' ? 'TIME_LIMIT' : 'INTERNAL');
  if (isForUploader(code)) return text;
  // A retried job repeats all its work, but a function or a copy would combine the same finished parts again.
  const fromFinished = (ofFinishedParts || functionMessage !== undefined) && ofContent.includes(code);
  return `${code}: ${fromFinished ? forceSentence : (sentences[code] ?? againSentence)}`;
}

/** Failures caused by the content of the parts, which a retry does not change. */
const ofContent: readonly string[] = ['OUTPUT_MISMATCH', 'ENCODER_FAILED'];
const againSentence = 'The service failed to process this video. It can be processed again.';
const forceSentence =
  'The finished parts of this video do not fit together. Process it again with "force": true, so that none of them is used again.';

const sentences: Readonly<Record<string, string>> = {
  TIME_LIMIT: 'The work took longer than is allowed. Try a template with fewer or faster renditions.',
  MEMORY_LIMIT: 'The work took more memory than is allowed. Try a template with smaller renditions.',
  CANCELLED: 'The work was cancelled.',
  RESULT_REFUSED:
    'The results of this file could not be stored, in three attempts. Processing it again does not help: report the video to the operator.',
};

function lambdaMessage(cause: string): string | undefined {
  try {
    const message: unknown = JSON.parse(cause)?.errorMessage;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
