import type { FailureDocument } from './lambda-errors.ts';
import type { Invocation } from './lambda-instance.ts';

/** The log line of a failed invocation. */
export function failureLine({ payload }: Invocation): string {
  const { errorType, errorMessage, trace } = payload as FailureDocument;
  return JSON.stringify({ level: 'ERROR', message: 'Invocation failed', errorType, errorMessage, trace });
}
