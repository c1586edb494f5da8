import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { transportSecurity } from '../../shared/security-headers.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import type { ErrorCode } from '../common/error-codes.ts';
import { ApiError, ErrorPage, ServiceUnavailable, TooManyRequests, ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import { hasEntityTag } from '../contracts/route-declaration.ts';
import type { Call } from './call.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { entityTag, namesTag } from './entity-tag.ts';

type RequestEvent = APIGatewayProxyEventV2 & { call?: Call; uploadOrigin?: string | undefined };

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': `max-age=${transportSecurity.maxAgeSeconds}; includeSubDomains`,
};

/** The response of a handler that succeeded. */
export function successResponse(event: RequestEvent, body: unknown): APIGatewayProxyStructuredResultV2 {
  const { declaration } = event.call?.route ?? {};
  const { status: defaultStatus = 200, emptyStatus, replacedStatus, responseType, cacheControl } = declaration ?? {};
  const replaced = event.call?.outcome.isReplaced ? replacedStatus : undefined;
  const status = body === undefined && emptyStatus ? emptyStatus : (replaced ?? defaultStatus);
  const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  if (status === 204) return buildResponse(event, status, headers);
  if (responseType === undefined || responseType === 'application/json') {
    const json = cacheControl === undefined ? JSON.stringify(body) : cachedJson(body);
    return declaration && hasEntityTag(declaration)
      ? taggedResponse(event, headers, json)
      : buildResponse(event, status, headers, json);
  }
  return buildResponse(event, status, { ...headers, 'content-type': `${responseType}; charset=utf-8` }, body);
}

/**
 * The response to a read, or 304 when the client has it already. A browser may keep it for its user, but asks before
 * each use: a shared cache must not store it, and another user of the browser gets 304 only for the same body.
 */
function taggedResponse(
  event: RequestEvent,
  headers: Record<string, string>,
  json: string,
): APIGatewayProxyStructuredResultV2 {
  const etag = entityTag(json);
  const tagged = { 'cache-control': 'private, no-cache', ...headers, etag };
  return namesTag(event.headers['if-none-match'], etag)
    ? buildResponse(event, 304, tagged)
    : buildResponse(event, 200, tagged, json);
}

const jsonCache = new WeakMap<object, string>();

/**
 * A cacheable response is often one object for all clients, such as the OpenAPI document: its 200 KB are serialized
 * once.
 */
function cachedJson(body: unknown): string {
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  const text = jsonCache.get(body) ?? JSON.stringify(body);
  jsonCache.set(body, text);
  return text;
}

/** A response that was sent before. An error has the ID of this request. */
export function storedResponse(event: RequestEvent, status: number, text: string): APIGatewayProxyStructuredResultV2 {
  const headers = { 'idempotency-replayed': 'true' };
  if (status >= 400) return errorBody(event, status, JSON.parse(text), headers);
  return buildResponse(event, status, headers, text === '' ? undefined : text);
}

/** The response to an error. Errors that are not meant for clients are only logged. */
export function errorResponse(event: RequestEvent, error: unknown): APIGatewayProxyStructuredResultV2 {
  const known = error instanceof ApiError ? error : isUnavailable(error) ? new ServiceUnavailable() : undefined;
  if (!known) {
    log.error('the handler failed', { ...logContext(event), error: error as Error });
    return errorBody(event, 500, { message: 'Server Error', code: 'internal_error' });
  }
  if (known.statusCode === 503)
    log.warn('a dependency is unavailable', { ...logContext(event), error: error as Error });
  if (known instanceof ErrorPage) return buildResponse(event, known.statusCode, known.headers, known.html);
  const fields =
    known instanceof ValidationFailed
      ? { errors: known.errors, codes: known.codes }
      : known instanceof TooManyRequests && { errors: known.errors };
  const { message, code } = known;
  return errorBody(event, known.statusCode, { message, code, ...fields }, known.headers);
}

const errorBody = (
  event: RequestEvent,
  status: number,
  body: { message: string; code: ErrorCode },
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 =>
  buildResponse(event, status, headers, { ...body, request_id: event.requestContext.requestId });

/** The response to a CORS preflight, or to any OPTIONS request: it is the same for all paths. */
export const preflightResponse = (event: RequestEvent): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 204,
  headers: { ...securityHeaders, 'x-request-id': event.requestContext.requestId, ...preflightHeaders(event) },
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
      'x-request-id': event.requestContext.requestId,
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
  operation: event.call?.route.declaration.operationId,
  userUlid: event.call?.user?.ulid,
});
