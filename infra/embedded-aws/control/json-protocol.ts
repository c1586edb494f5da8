import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { AccessDenied } from '../iam/authorize.ts';

/** A request refused the way AWS's JSON services refuse it: a status and a body whose `__type` names the error. */
export class ServiceError extends Error {
  readonly statusCode = 400;
  readonly body: Record<string, unknown>;

  constructor(type: string, message: string, fields: Record<string, unknown> = {}) {
    super(message);
    this.name = type.slice(type.indexOf('#') + 1);
    this.body = { __type: type, message, ...fields };
  }
}

/** The request's JSON object; an empty body or anything else is a SerializationException. */
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

/** Whether an error is an answer for the client (ours or dynalite's) rather than a fault of the server. */
export function isServiceError(error: unknown): error is Error & { statusCode: number; body: Record<string, unknown> } {
  return error instanceof Error && 'statusCode' in error && 'body' in error;
}

/**
 * Answers with what `work` returns, with its refusal, or with 500 `InternalServerError` for anything else it throws.
 * @throws AccessDenied, which every service answers in the same way
 */
export async function answerJson(
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
    output = isServiceError(error) ? error.body : { __type: 'InternalServerError', message: String(error) };
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
