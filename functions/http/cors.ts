import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';

type RequestEvent = APIGatewayProxyEventV2 & { uploadOrigin?: string | undefined };

/**
 * Headers that allow pages of the allowed origins to read the response. `vary` makes caches store one response per
 * origin. Pages that have an upload token only may not send cookies.
 */
export function corsHeaders(event: RequestEvent): Record<string, string> {
  const origin = event.headers.origin;
  const isAllowed = origin !== undefined && isAllowedOrigin(origin);
  if (origin === undefined || !(isAllowed || origin === event.uploadOrigin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    ...(isAllowed && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers':
      'ETag, Idempotency-Replayed, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  };
}

/** The additional headers of a preflight response, if its origin is allowed. */
export function preflightHeaders(event: RequestEvent): Record<string, string> {
  const headers = corsHeaders(event);
  if (!('access-control-allow-origin' in headers)) return headers;
  return {
    ...headers,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': 'authorization, content-type, accept, idempotency-key, if-none-match',
    'access-control-max-age': '7200',
  };
}

/** Whether an origin is in ALLOWED_ORIGINS. A trailing `:*` matches any port. */
export function isAllowedOrigin(origin: string): boolean {
  return readEnvironment('ALLOWED_ORIGINS').some((allowed) => {
    if (!allowed.endsWith(':*')) return allowed === origin;
    const start = allowed.slice(0, -1);
    return origin.startsWith(start) && /^[0-9]{1,5}$/.test(origin.slice(start.length));
  });
}
