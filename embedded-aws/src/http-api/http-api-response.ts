import { InvocationRefused, RequestTooLarge, TooManyRequests } from '../lambda/lambda-errors.ts';
import type { Invocation } from '../lambda/lambda-instance.ts';

/** An HTTP response. A list of values is sent as repeated headers. */
export type HttpResponse = { statusCode: number; headers: Record<string, string | string[]>; body: Buffer };

/** A response that the HTTP API itself makes, with its message. */
export type GatewayResponse = HttpResponse & { message: string };

/** Responses of the HTTP API itself: the function failed, was too slow or returned an invalid response. */
export const unavailable = gatewayResponse(503, 'Service Unavailable');
export const failed = gatewayResponse(500, 'Internal Server Error');
export const notFound = gatewayResponse(404, 'Not Found');
export const tooLarge = gatewayResponse(413, 'Request Entity Too Large');
export const targetTooLong = gatewayResponse(414, 'URI Too Long');
export const throttled = gatewayResponse(429, 'Too Many Requests');
export const headersTooLarge = gatewayResponse(431, 'Request Header Fields Too Large');

function gatewayResponse(statusCode: number, message: string): GatewayResponse {
  return {
    statusCode,
    message,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

type Response = {
  statusCode: number;
  headers?: Record<string, string | number | boolean>;
  cookies?: string[];
  body?: string;
  isBase64Encoded?: boolean;
};

/**
 * Converts the result of a function in payload format 2.0. Without a statusCode the result is the JSON body of a 200
 * response.
 */
export function responseOf({ payload: result, functionError }: Invocation): HttpResponse {
  if (functionError) return failed;
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return inferred(result);
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded } = result as Response;
  if (!isValid(result as Response)) return failed;
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return {
    statusCode: Number(statusCode),
    headers: {
      ...(body !== '' && { 'content-type': 'text/plain;charset=UTF-8' }),
      ...Object.fromEntries(lowerCased),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Lambda refused the invocation: the event is too large, or the function is throttled. @throws any other error */
export function refusalOf(error: unknown): HttpResponse {
  if (!(error instanceof InvocationRefused)) throw error;
  if (error instanceof RequestTooLarge) return tooLarge;
  return error instanceof TooManyRequests ? unavailable : failed;
}

/** Whether the gateway accepts the fields of a response. */
function isValid({ statusCode, headers = {}, cookies = [], body = '' }: Response): boolean {
  const status = Number(statusCode);
  return (
    Number.isInteger(status) &&
    status >= 200 &&
    status <= 599 &&
    typeof body === 'string' &&
    Array.isArray(cookies) &&
    Object.entries(headers).every(([name, value]) => isToken.test(name) && isFieldValue.test(String(value))) &&
    Object.values(headers).every((value) => typeof value !== 'object')
  );
}

const isToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const isFieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const inferred = (result: unknown): HttpResponse => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(typeof result === 'string' ? result : JSON.stringify(result ?? null)),
});
