import { setTimeout as sleep } from 'node:timers/promises';
import type { FileRequest, FileResponse, SyncRequest, SyncResponse } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';

/** The token is invalid or was revoked. Retrying cannot succeed. */
export class Unauthorized extends Error {}
/**
 * The service rejects the content of the call: it breaks the contract, or concerns a lease that has ended. Retrying
 * cannot succeed.
 */
export class CallRejected extends Error {}
/** The service did not answer within the allowed attempts. */
export class CallFailed extends Error {
  /** from the header Retry-After */
  readonly waitMs: number;

  constructor(reason: string, waitMs: number) {
    super(reason);
    this.waitMs = waitMs;
  }
}

const tooManyRequests = 429;
const callTimeoutMs = 15_000;
const firstDelayMs = 500;
const maxDelayMs = 15_000;

export type CallOptions = {
  /** throws CallFailed after this many attempts that were not throttled; unlimited by default */
  maxAttempts?: number;
};
export type ServiceCall<Request, Response> = (
  request: Request,
  signal: AbortSignal,
  options?: CallOptions,
) => Promise<Response>;
export type SyncCall = ServiceCall<SyncRequest, SyncResponse>;
export type FileCall = ServiceCall<FileRequest, FileResponse>;

/**
 * Statuses that reject the call itself. Any other status may be temporary, such as the 404 of a gateway during a
 * deployment.
 */
const rejectionStatuses = [400, 413, 422];

/** `POST …/sync`. A repeated call is marked with `again`, because the lost response may have contained a lease. */
export const createSyncCall = (url: string, token: string, log: Log): SyncCall =>
  createCall({ url, token, rejections: rejectionStatuses, log }, (request) => ({ ...request, again: true }));

/** `POST …/files`, at the same address as the sync call. */
export const createFileCall = (syncUrl: string, token: string, log: Log): FileCall =>
  createCall({
    url: new URL('files', syncUrl).href,
    token,
    rejections: [...rejectionStatuses, 409],
    log,
    // The service fails on this request every time; retries would block the worker until the time limit of the job.
    maxServerErrors: 6,
  });

/**
 * A call that is retried without limit unless `maxAttempts` is set, so that a job continues during an outage of the
 * service. Only the signal, Unauthorized and CallRejected end it.
 */
function createCall<Request, Response>(
  { log, maxServerErrors = Number.POSITIVE_INFINITY, ...address }: Address & { log: Log; maxServerErrors?: number },
  repeated: (request: Request) => Request = (request) => request,
): ServiceCall<Request, Response> {
  return async (request, signal, { maxAttempts = Number.POSITIVE_INFINITY } = {}) => {
    let serverErrors = 0;
    let attempts = 0;
    for (let n = 0; ; n++) {
      const body = JSON.stringify(n === 0 ? request : repeated(request));
      const outcome = await callOnce<Response>(address, body, signal);
      if ('response' in outcome) return outcome.response;
      const { reason, retryAfterMs } = outcome;
      // The gateway refuses whatever is over its limit, so this says nothing about the request.
      if (outcome.status !== tooManyRequests) attempts += 1;
      if (attempts >= maxAttempts) throw new CallFailed(reason, retryAfterMs);
      serverErrors = outcome.status === 500 ? serverErrors + 1 : 0;
      if (serverErrors >= maxServerErrors) throw new CallRejected(reason);
      const waitMs = Math.max(backoffMs(n), retryAfterMs);
      log.warn('the service did not answer', { reason, waitMs: Math.round(waitMs) });
      await sleep(waitMs, undefined, { signal });
    }
  };
}

/** Exponential backoff with jitter after `n` failed attempts. */
export const backoffMs = (n: number): number => Math.min(firstDelayMs * 2 ** n, maxDelayMs) * (0.5 + Math.random() / 2);

type Address = { url: string; token: string; rejections: readonly number[] };
type Outcome<Response> = { response: Response } | { reason: string; retryAfterMs: number; status?: number };

async function callOnce<Response>(
  { url, token, rejections }: Address,
  body: string,
  signal: AbortSignal,
): Promise<Outcome<Response>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      // a redirect would send the token to another address
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    });
    if (response.ok) return { response: (await response.json()) as Response };
    await response.body?.cancel();
    if (response.status === 401) throw new Unauthorized('the service does not know this token');
    if (rejections.includes(response.status)) throw new CallRejected(`status ${response.status}`);
    const { status, headers } = response;
    return { reason: `status ${status}`, status, retryAfterMs: retryAfterMs(headers.get('retry-after')) };
  } catch (error) {
    if (error instanceof Unauthorized || error instanceof CallRejected) throw error;
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    return { reason: cause instanceof Error ? cause.message : message, retryAfterMs: 0 };
  }
}

/** Retry-After in seconds, at most one minute; the service never sends a date. */
const retryAfterMs = (value: string | null): number => Math.min(Number(value) || 0, 60) * 1000;
