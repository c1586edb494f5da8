import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';

/** The URL for something, as it is known; another one than `refused`, which the store has refused. */
export type SignedUrl = (refused?: string) => Promise<string>;

/** The store refuses a signature, most often since its time is over: a URL lives an hour at most, and no longer than the session that signed it. */
class UrlRefused extends Error {}

const tries = 5;

/**
 * One exchange with the object store over a presigned URL, tried again after network errors and busy answers, and with another URL when the store
 * refuses this one. `attempt` makes a fresh request each time and must read the body itself, so that a body that breaks off is tried again too.
 * Throws JobError: INPUT_GONE for 404 (fatal), STORE_FAILED otherwise. Never names the URL, whose query is a signature.
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
      if (n === tries) throw new JobError('STORE_FAILED', `the object store did not answer: ${causeOf(error)}`);
      await sleep(firstDelayMs * 2 ** (n - 1) * (0.5 + Math.random()), undefined, { signal });
      if (error instanceof UrlRefused) url = await urlOf(url);
    }
  }
}

/** Throws what the status means: an Error for what is worth trying again, a JobError for what is not. */
export function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status === 404) throw new JobError('INPUT_GONE', 'a file that this job needs is no longer in the store');
  if (status === 408 || status === 429 || status >= 500) throw new Error(`status ${status}`);
  // S3 answers 403 to a URL that has expired, and 400 to one whose signer's session has.
  if (status === 400 || status === 403) throw new UrlRefused(`status ${status}`);
  throw new JobError('STORE_FAILED', `the object store answered ${status}`);
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  return typeof code === 'string' ? code : cause instanceof Error ? cause.message : 'unknown';
}
