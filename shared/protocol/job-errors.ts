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
  'INPUT_DAMAGED',
  'INPUT_ENCRYPTED',
  'INPUT_TOO_LARGE',
  'INPUT_UNSUPPORTED',
  'INPUT_GONE',
  'OUTPUT_NO_STREAMS',
  'OUTPUT_MISMATCH',
  'RESULT_REFUSED',
  'ENCODER_FAILED',
  'ENCODER_STALLED',
  'TIME_LIMIT',
  'MEMORY_LIMIT',
  'DISK_FULL',
  'STORE_FAILED',
  'CANCELLED',
  'WORKER_STOPPED',
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

/** An error that the state machine knows by its name, thrown by a function or sent for a job. `message` is `CODE: sentence`. */
export class StateError extends Error {
  constructor(name: (typeof stateErrors)[keyof typeof stateErrors], code: JobErrorCode, message: string) {
    super(`${code}: ${message}`);
    this.name = name;
  }
}

/**
 * What the uploader is told of an error that a state machine hands on, as `CODE: sentence`. Of the input everything is told; what else went wrong may
 * name internals, so its words stay in the execution's history for the operator.
 * `ofFinishedParts`: of work on what other jobs have finished, which processing the video again does not make anew unless it is forced.
 */
export function causeText(
  error: { Error?: string | undefined; Cause?: string | undefined },
  { ofFinishedParts = false } = {},
): string {
  const cause = error.Cause ?? '';
  const said = lambdaMessage(cause);
  const text = said ?? cause;
  const code = /^([A-Z][A-Z0-9_]+): /.exec(text)?.[1] ?? (error.Error === 'States.Timeout' ? 'TIME_LIMIT' : 'INTERNAL');
  if (code.startsWith('INPUT_') || code === 'OUTPUT_NO_STREAMS') return text;
  // A job is done again as a whole. What a function or a copy makes of finished parts is made of the same parts again.
  const fromFinished = (ofFinishedParts || said !== undefined) && ofContent.includes(code);
  return `${code}: ${fromFinished ? forceSentence : (sentences[code] ?? againSentence)}`;
}

/** Failures that come of what the parts contain, and not of the moment. */
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
