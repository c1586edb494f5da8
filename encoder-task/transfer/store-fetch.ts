import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';

/** Returns a presigned URL; a new one if the store rejected `rejected`. */
export type SignedUrl = (rejected?: string) => Promise<string>;

/**
 * The store rejects a signature, usually because it has expired: after one hour, or with the session that signed it.
 */
class UrlRejected extends Error {}

const maxAttempts = 5;

/**
 * A request to the object store with a presigned URL. Retries after network errors and busy responses, and with a new
 * URL after a rejected signature. `attempt` makes one request and must read the body, so that an incomplete body is
 * retried as well. Throws JobError: INPUT_GONE for 404 (fatal), otherwise STORE_FAILED. Errors never contain the URL,
 * whose query is a signature.
 */
export async function storeFetch<Result>(
  urlOf: SignedUrl,
  signal: AbortSignal,
  attempt: (url: string) => Promise<Result>,
  firstDelayMs = 400,
): Promise<Result> {
  let url = await urlOf();
  for (let n = 1; ; n++) {
    try {
      return await attempt(url);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JobError) throw error;
      if (n === maxAttempts) throw new JobError('STORE_FAILED', `the object store did not answer: ${causeOf(error)}`);
      await sleep(firstDelayMs * 2 ** (n - 1) * (0.5 + Math.random()), undefined, { signal });
      if (error instanceof UrlRejected) url = await urlOf(url);
    }
  }
}

/** Throws an Error for a status that may be temporary, a JobError for others that are not successful. */
export function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status === 404) throw new JobError('INPUT_GONE', 'a file of this job is no longer in the store');
  if (status === 408 || status === 429 || status >= 500) throw new Error(`status ${status}`);
  // S3 answers 403 to an expired URL, and 400 when the session of the signer has expired.
  if (status === 400 || status === 403) throw new UrlRejected(`status ${status}`);
  throw new JobError('STORE_FAILED', `the object store answered ${status}`);
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  return typeof code === 'string' ? code : cause instanceof Error ? cause.message : 'unknown';
}
