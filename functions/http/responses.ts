import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { ApiError, ServiceUnavailable, TooManyRequests, ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import type { Call } from './call.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';

type Received = APIGatewayProxyEventV2 & { call?: Call };

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};

/** The answer of a handler that went well. */
export function successResponse(event: Received, body: unknown): APIGatewayProxyStructuredResultV2 {
  const { status: usual = 200, emptyStatus, answerType, cacheControl } = event.call?.route.fact ?? {};
  const status = body === undefined && emptyStatus ? emptyStatus : usual;
  const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  if (status === 204) return respond(event, status, headers);
  if (answerType === undefined || answerType === 'application/json') {
    return respond(event, status, headers, cacheControl === undefined ? body : textOnce(body));
  }
  return respond(event, status, { ...headers, 'content-type': `${answerType}; charset=utf-8` }, body);
}

const texts = new WeakMap<object, string>();

/** What clients may keep is often one object for all of them, such as the published document: its 200 KB are written once. */
function textOnce(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const text = texts.get(body) ?? JSON.stringify(body);
  texts.set(body, text);
  return text;
}

/** The answer to an error; what is not meant for clients stays in the log. */
export function errorResponse(event: Received, error: unknown): APIGatewayProxyStructuredResultV2 {
  const known = error instanceof ApiError ? error : isUnavailable(error) ? new ServiceUnavailable() : undefined;
  if (!known) {
    log.error('the handler failed', { ...tracing(event), error: error as Error });
    return respond(event, 500, {}, { message: 'Server Error' });
  }
  if (known.statusCode === 503) log.warn('unavailable', { ...tracing(event), error: error as Error });
  const fields =
    known instanceof ValidationFailed || known instanceof TooManyRequests ? { errors: known.errors } : undefined;
  return respond(event, known.statusCode, known.headers, { message: known.message, ...fields });
}

/** The answer to a preflight, or to any OPTIONS: what may be done is the same for every path. */
export const preflightResponse = (event: Received): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 204,
  headers: { ...securityHeaders, ...preflightHeaders(event) },
});

function respond(
  event: Received,
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

const tracing = (event: Received): Record<string, unknown> => ({
  requestId: event.requestContext.requestId,
  operation: event.call?.route.fact.operationId,
  userUlid: event.call?.user?.ulid,
});
