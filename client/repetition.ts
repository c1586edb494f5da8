/** The statuses of a service that has too much to do. API Gateway sends them too, and then names no time to wait. */
export const isThrottled = (status: number | undefined): status is 429 | 503 => status === 429 || status === 503;

/**
 * Whether a request may be sent again after this status, or after none. 429 means that nothing was done. After all else
 * the service may have done it: a second completion of an upload answers like the first one, but other POST requests
 * would create twice.
 */
export const isRepeatable = ({ method, url }: Pick<Request, 'method' | 'url'>, status: number | undefined): boolean =>
  status === 429 || method !== 'POST' || /^\/api\/objstore\/multipart\/[^/]+\/complete$/.test(new URL(url).pathname);

/** How long to wait after this attempt, from 1 on: longer each time, and not the same for all clients. */
export const backoffMs = (attempt: number): number => 1000 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
