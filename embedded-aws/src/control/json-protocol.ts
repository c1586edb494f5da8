import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { AccessDenied } from '../iam/authorize.ts';

/** An error response of the JSON protocols: status 400 and a body whose `__type` names the error. */
export class ServiceError extends Error {
  readonly statusCode = 400;
  readonly body: Record<string, unknown>;

  constructor(type: string, message: string, fields: Record<string, unknown> = {}) {
    super(message);
    this.name = type.slice(type.indexOf('#') + 1);
    this.body = { __type: type, message, ...fields };
  }
}

/** Parses a JSON object. @throws ServiceError SerializationException for an empty body or any other content */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ServiceError('com.amazon.coral.service#SerializationException', 'The request is not a JSON object');
  }
  return parsed as Record<string, unknown>;
}

/** Whether an error is a response for the client, by this code or by dynalite, and not an internal error. */
export function isServiceError(error: unknown): error is Error & { statusCode: number; body: Record<string, unknown> } {
  return error instanceof Error && 'statusCode' in error && 'body' in error;
}

/**
 * Sends the result of `work`, its ServiceError, or 500 `InternalServerError` for any other error.
 * @throws AccessDenied, which the control server answers for all services
 */
export async function respondJson(
  response: ServerResponse,
  contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1',
  work: () => Promise<object>,
): Promise<void> {
  let status = 200;
  let output: object;
  try {
    output = await work();
  } catch (error) {
    if (error instanceof AccessDenied) throw error;
    if (!isServiceError(error)) console.error(error);
    status = isServiceError(error) ? error.statusCode : 500;
    // The error may name files and what is in them.
    const internal = { __type: 'InternalServerError', message: 'The request could not be processed.' };
    output = isServiceError(error) ? error.body : internal;
  }
  const body = Buffer.from(JSON.stringify(output));
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': body.length,
    'x-amzn-requestid': randomUUID(),
    'x-amz-crc32': crc32(body),
  });
  response.end(body);
}
