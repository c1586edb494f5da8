import { setTimeout as sleep } from 'node:timers/promises';
import type { FileAnswer, FileRequest, SyncRequest, SyncResponse } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';

/** The token is not, or no longer, valid: trying again is useless. */
export class Unauthorized extends Error {}
/** The service understood the call and will never take it: what is in it breaks the contract, or is about a lease that is over. */
export class CallRefused extends Error {}
/** The service could not answer the call, as often as it was to be tried. */
export class CallFailed extends Error {
  /** how long the service wants to be left alone */
  readonly waitMs: number;

  constructor(reason: string, waitMs: number) {
    super(reason);
    this.waitMs = waitMs;
  }
}

const callTimeoutMs = 15_000;
const firstDelayMs = 500;
const longestDelayMs = 15_000;

export type CallOptions = {
  /** throws CallFailed after as many; tried for as long as it takes unless given */
  mostTries?: number;
};
export type ServiceCall<Request, Answer> = (
  request: Request,
  signal: AbortSignal,
  options?: CallOptions,
) => Promise<Answer>;
export type SyncCall = ServiceCall<SyncRequest, SyncResponse>;
export type FileCall = ServiceCall<FileRequest, FileAnswer>;

/** Answers to what is wrong with the call itself. All others, a 404 of a gateway that is being changed among them, may pass. */
const reportRefused = [400, 413, 422];

/** The two calls of a worker. The second is beside the first. A sync that is sent again says so: the answer that got lost may have had a lease in it. */
export const createSyncCall = (url: string, token: string, log: Log): SyncCall =>
  createCall({ url, token, refusals: reportRefused, log }, (request) => ({ ...request, again: true }));
export const createFileCall = (syncUrl: string, token: string, log: Log): FileCall =>
  createCall({
    ...{ url: new URL('files', syncUrl).href, token, refusals: [...reportRefused, 409], log },
    // The service stumbles over this job; it would hold the worker for as long as a job may take.
    mostServerErrors: 6,
  });

/**
 * A call that is tried for as long as it takes, unless told otherwise: a job goes on encoding while the service is away. Only the signal, an Unauthorized
 * and a CallRefused end it.
 */
function createCall<Request, Answer>(
  { log, mostServerErrors = Number.POSITIVE_INFINITY, ...address }: Address & { log: Log; mostServerErrors?: number },
  repeated: (request: Request) => Request = (request) => request,
): ServiceCall<Request, Answer> {
  return async (request, signal, { mostTries = Number.POSITIVE_INFINITY } = {}) => {
    let serverErrors = 0;
    for (let n = 0; ; n++) {
      const body = JSON.stringify(n === 0 ? request : repeated(request));
      const answer = await callOnce<Answer>(address, body, signal);
      if ('response' in answer) return answer.response;
      const { reason, retryAfterMs } = answer;
      if (n + 1 >= mostTries) throw new CallFailed(reason, retryAfterMs);
      serverErrors = answer.status === 500 ? serverErrors + 1 : 0;
      if (serverErrors >= mostServerErrors) throw new CallRefused(reason);
      const waitMs = Math.max(backoffMs(n), retryAfterMs);
      log.warn('the service did not answer', { reason, waitMs: Math.round(waitMs) });
      await sleep(waitMs, undefined, { signal });
    }
  };
}

/** With jitter. `n` counts the failed tries before, from 0. */
export const backoffMs = (n: number): number =>
  Math.min(firstDelayMs * 2 ** n, longestDelayMs) * (0.5 + Math.random() / 2);

type Address = { url: string; token: string; refusals: readonly number[] };
type Outcome<Answer> = { response: Answer } | { reason: string; retryAfterMs: number; status?: number };

async function callOnce<Answer>(
  { url, token, refusals }: Address,
  body: string,
  signal: AbortSignal,
): Promise<Outcome<Answer>> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      // a redirect would carry the token to another address
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    });
    if (answer.ok) return { response: (await answer.json()) as Answer };
    await answer.body?.cancel();
    if (answer.status === 401) throw new Unauthorized('the service does not know this token');
    if (refusals.includes(answer.status)) throw new CallRefused(`status ${answer.status}`);
    const { status, headers } = answer;
    return { reason: `status ${status}`, status, retryAfterMs: retryAfterMs(headers.get('retry-after')) };
  } catch (error) {
    if (error instanceof Unauthorized || error instanceof CallRefused) throw error;
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    return { reason: cause instanceof Error ? cause.message : message, retryAfterMs: 0 };
  }
}

/** Retry-After in seconds; the service never sends a date. At most a minute is believed. */
const retryAfterMs = (value: string | null): number => Math.min(Number(value) || 0, 60) * 1000;
