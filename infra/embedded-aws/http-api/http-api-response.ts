import type { Invocation } from '../lambda/lambda-instance.ts';

/** An HTTP response. A list of values is sent as repeated headers. */
export type Answer = { statusCode: number; headers: Record<string, string | string[]>; body: Buffer };

/** Responses of the HTTP API itself: the function failed, was too slow or returned an invalid response. */
export const unavailable = gatewayAnswer(503, 'Service Unavailable');
export const failed = gatewayAnswer(500, 'Internal Server Error');
export const notFound = gatewayAnswer(404, 'Not Found');
export const tooLarge = gatewayAnswer(413, 'Request Entity Too Large');

function gatewayAnswer(statusCode: number, message: string): Answer {
  return {
    statusCode,
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
export function answerOf({ payload: result, functionError }: Invocation): Answer {
  if (functionError) return failed;
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return inferred(result);
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded } = result as Response;
  if (!Number.isInteger(Number(statusCode)) || typeof body !== 'string') return failed;
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

const inferred = (result: unknown): Answer => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(typeof result === 'string' ? result : JSON.stringify(result ?? null)),
});
