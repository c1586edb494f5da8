import httpJsonBodyParser from '@middy/http-json-body-parser';
import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from '../common/errors.ts';
import type { ApiEvent } from './call.ts';
import { fieldsOf, normalizeFields } from './normalize-fields.ts';

const defaultLimitBytes = 1024 * 1024;
const parser = httpJsonBodyParser();

/**
 * The fields of the body; none if there is no body or it is not an object. Where the parser's errors have status 422,
 * ours have 400: invalid JSON, keys such as `__proto__`, and nesting that would overflow the stack.
 * @throws PayloadTooLarge, UnsupportedMediaType, BadRequest
 */
export function readBody(event: ApiEvent): Record<string, unknown> {
  const { body: schema, bodyLimitBytes = defaultLimitBytes, bodyVerbatim } = event.call.route.fact;
  if (!schema || event.body === undefined || event.body === '') return {};
  if (Buffer.byteLength(event.body, event.isBase64Encoded ? 'base64' : 'utf8') > bodyLimitBytes) {
    throw new PayloadTooLarge();
  }
  try {
    parser.before?.({ event } as never);
  } catch (error) {
    throw (error as { statusCode?: number }).statusCode === 415 ? new UnsupportedMediaType() : new BadRequest();
  }
  return bodyVerbatim ? fieldsOf(event.body) : normalizeFields(event.body);
}
