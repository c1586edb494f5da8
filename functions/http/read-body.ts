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
  if (!schema || event.body === undefined || event.body === '' || hasFile(event)) return {};
  checkLength(event, bodyLimitBytes);
  try {
    parser.before?.({ event } as never);
  } catch (error) {
    const { fileTypes = [] } = event.call.route.declaration;
    throw (error as { statusCode?: number }).statusCode === 415
      ? new UnsupportedMediaType(['application/json', ...fileTypes])
      : new BadRequest();
  }
  return bodyVerbatim ? fieldsOf(event.body) : normalizeFields(event.body, emptyAllowed);
}

/**
 * The body of an operation that takes a file. An empty one has no type.
 * @throws PayloadTooLarge, UnsupportedMediaType
 */
export function readFileBody(event: ApiEvent): FileBody | undefined {
  const { fileTypes, body: schema, bodyLimitBytes = defaultLimitBytes } = event.call.route.declaration;
  if (!fileTypes || (schema && !hasFile(event))) return undefined;
  const { body = '', isBase64Encoded } = event;
  checkLength(event, bodyLimitBytes);
  const type = contentType(event);
  if (body !== '' && !fileTypes.includes(type)) throw new UnsupportedMediaType(fileTypes);
  return { type, bytes: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), isText: !isBase64Encoded };
}

/** Whether an operation that takes JSON or a file gets a file. */
const hasFile = (event: ApiEvent): boolean =>
  event.call.route.declaration.fileTypes?.includes(contentType(event)) === true;

const contentType = ({ headers }: ApiEvent): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();

function checkLength({ body = '', isBase64Encoded }: ApiEvent, limitBytes: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > limitBytes)
    throw new PayloadTooLarge('body_too_large', 'The request body is too large.');
}
