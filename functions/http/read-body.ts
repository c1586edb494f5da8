import httpJsonBodyParser from '@middy/http-json-body-parser';
import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from '../common/errors.ts';
import type { ApiEvent, FileBody } from './call.ts';
import { fieldsOf, normalizeFields } from './normalize-fields.ts';

const defaultLimitBytes = 1024 * 1024;
const parser = httpJsonBodyParser();

/**
 * The fields of the body; none if there is no body or it is not an object. Where the parser's errors have status 422,
 * ours have 400: invalid JSON, keys such as `__proto__`, and nesting that would overflow the stack.
 * @throws PayloadTooLarge, UnsupportedMediaType, BadRequest
 */
export function readBody(event: ApiEvent): Record<string, unknown> {
  const { body: schema, bodyLimitBytes = defaultLimitBytes, bodyVerbatim, emptyAllowed } = event.call.route.declaration;
  if (!schema || event.body === undefined || event.body === '') return {};
  checkLength(event, bodyLimitBytes);
  try {
    parser.before?.({ event } as never);
  } catch (error) {
    throw (error as { statusCode?: number }).statusCode === 415 ? new UnsupportedMediaType() : new BadRequest();
  }
  return bodyVerbatim ? fieldsOf(event.body) : normalizeFields(event.body, emptyAllowed);
}

/**
 * The body of an operation that takes a file. An empty one has no type.
 * @throws PayloadTooLarge, UnsupportedMediaType
 */
export function readFileBody(event: ApiEvent): FileBody | undefined {
  const { fileTypes, bodyLimitBytes = defaultLimitBytes } = event.call.route.declaration;
  if (!fileTypes) return undefined;
  const { body = '', isBase64Encoded } = event;
  checkLength(event, bodyLimitBytes);
  const type = (event.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (body !== '' && !fileTypes.includes(type)) throw new UnsupportedMediaType(fileTypes);
  return { type, bytes: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), isText: !isBase64Encoded };
}

function checkLength({ body = '', isBase64Encoded }: ApiEvent, limitBytes: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > limitBytes)
    throw new PayloadTooLarge('body_too_large', 'The request body is too large.');
}
