import createOpenApiClient from 'openapi-fetch';
import { type ApiError, errorOf } from './api-error.ts';
import type { paths } from './api-types.ts';
import { backoffMs, isRepeatable, isThrottled, withKey } from './repetition.ts';
import { sleep } from './sleep.ts';

export type ApiOptions = {
  /** Origin of the service, such as `https://video.example.com`. In a browser, '' is the origin of the page. */
  url: string;
  /** An API token. Without it, a browser sends the session cookie of the page. */
  token?: string;
  /** The token of one direct upload, for a page without an account. Used instead of `token`. */
  uploadToken?: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
};

export type Fetch = (request: Request) => Promise<Response>;

const maxAttempts = 4;
/**
 * By status. A longer wait is left to the caller, who gets the error: a limit of requests ends within a minute, but
 * what is not available may stay so, such as the addresses of a video while no proxy is active.
 */
const maxWaitSeconds = { 429: 60, 503: 10 };

/**
 * A typed function for each method: `api.GET('/api/videos/{ulid}', { params: { path: { ulid } } })`. Error responses
 * are thrown as `ApiError`. A throttled request (429, 503) is repeated after the time that the service asks for. API
 * Gateway names none: its waits grow. A POST has an Idempotency-Key, so that its repeat does nothing twice.
 */
export const createApi = ({ url, token, uploadToken, fetch = globalThis.fetch }: ApiOptions) =>
  createOpenApiClient<paths>({
    baseUrl: url,
    headers: { accept: 'application/json', ...authorizationOf(uploadToken ?? token) },
    // An upload token decides alone, and pages of other origins may not send cookies with it.
    ...(uploadToken !== undefined && { credentials: 'omit' }),
    fetch: (request) => fetchOrThrow(withKey(request), fetch),
  });

const authorizationOf = (token: string | undefined) =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

export type Api = ReturnType<typeof createApi>;

/** The body of the response to a call that throws on errors. */
export async function bodyOf<Body>(call: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new TypeError('the response has no body');
  return data;
}

async function fetchOrThrow(request: Request, fetch: Fetch, attempt = 1): Promise<Response> {
  const response = await fetch(request.clone());
  if (response.ok) return response;
  const error = await errorOf(response);
  const waitMs = attempt < maxAttempts ? waitMsAfter(error, request, attempt) : undefined;
  if (waitMs === undefined) throw error;
  await sleep(waitMs, request.signal);
  return fetchOrThrow(request, fetch, attempt + 1);
}

/** Undefined for a request that is not repeated. */
function waitMsAfter(error: ApiError, request: Request, attempt: number): number | undefined {
  const { status, code, retryAfterSeconds } = error;
  // The first attempt is still running.
  if (code === 'idempotency_in_progress') return backoffMs(attempt);
  if (!isThrottled(status) || !isRepeatable(request, status)) return undefined;
  if (retryAfterSeconds === undefined) return backoffMs(attempt);
  return retryAfterSeconds <= maxWaitSeconds[status] ? retryAfterSeconds * 1000 : undefined;
}
