import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';

/**
 * Headers that allow pages of the allowed origins to read the response. `vary` makes caches store one response per
 * origin.
 */
export function corsHeaders(event: APIGatewayProxyEventV2): Record<string, string> {
  const origin = event.headers.origin;
  if (origin === undefined || !isAllowedOrigin(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'ETag, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  };
}

/** The additional headers of a preflight response, if its origin is allowed. */
export function preflightHeaders(event: APIGatewayProxyEventV2): Record<string, string> {
  const headers = corsHeaders(event);
  if (!('access-control-allow-origin' in headers)) return headers;
  return {
    ...headers,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': 'authorization, content-type, accept, if-none-match',
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
