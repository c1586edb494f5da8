import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { ApiError, ServiceUnavailable, TooManyRequests, ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import type { Call } from './call.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';

type RequestEvent = APIGatewayProxyEventV2 & { call?: Call };

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};

/** The response of a handler that succeeded. */
export function successResponse(event: RequestEvent, body: unknown): APIGatewayProxyStructuredResultV2 {
  const { status: defaultStatus = 200, emptyStatus, answerType, cacheControl } = event.call?.route.fact ?? {};
  const status = body === undefined && emptyStatus ? emptyStatus : defaultStatus;
  const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  if (status === 204) return buildResponse(event, status, headers);
  if (answerType === undefined || answerType === 'application/json') {
    return buildResponse(event, status, headers, cacheControl === undefined ? body : cachedJson(body));
  }
  return buildResponse(event, status, { ...headers, 'content-type': `${answerType}; charset=utf-8` }, body);
}

const jsonCache = new WeakMap<object, string>();

/**
 * A cacheable response is often one object for all clients, such as the OpenAPI document: its 200 KB are serialized
 * once.
 */
function cachedJson(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const text = jsonCache.get(body) ?? JSON.stringify(body);
  jsonCache.set(body, text);
  return text;
}

/** The response to an error. Errors that are not meant for clients are only logged. */
export function errorResponse(event: RequestEvent, error: unknown): APIGatewayProxyStructuredResultV2 {
  const known = error instanceof ApiError ? error : isUnavailable(error) ? new ServiceUnavailable() : undefined;
  if (!known) {
    log.error('the handler failed', { ...logContext(event), error: error as Error });
    return buildResponse(event, 500, {}, { message: 'Server Error' });
  }
  if (known.statusCode === 503)
    log.warn('a dependency is unavailable', { ...logContext(event), error: error as Error });
  const fields =
    known instanceof ValidationFailed || known instanceof TooManyRequests ? { errors: known.errors } : undefined;
  return buildResponse(event, known.statusCode, known.headers, { message: known.message, ...fields });
}

/** The response to a CORS preflight, or to any OPTIONS request: it is the same for all paths. */
export const preflightResponse = (event: RequestEvent): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 204,
  headers: { ...securityHeaders, ...preflightHeaders(event) },
});

function buildResponse(
  event: RequestEvent,
  statusCode: number,
  headers: Record<string, string>,
  body?: unknown,
): APIGatewayProxyStructuredResultV2 {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return {
    statusCode,
    headers: {
      ...securityHeaders,
      'cache-control': 'no-store',
      ...corsHeaders(event),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...event.call?.headers,
      ...headers,
    },
    ...(event.call?.cookies.length && { cookies: event.call.cookies }),
    ...(text !== undefined && { body: event.requestContext.http.method === 'HEAD' ? '' : text }),
  };
}

const logContext = (event: RequestEvent): Record<string, unknown> => ({
  requestId: event.requestContext.requestId,
  operation: event.call?.route.fact.operationId,
  userUlid: event.call?.user?.ulid,
});
