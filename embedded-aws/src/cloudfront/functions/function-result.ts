import type { EventRequest, EventValue, EventValues } from './function-event.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-function-restrictions-all.html

/** The result of a function breaks a rule of CloudFront, which then answers 502. */
export class InvalidFunctionResult extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidFunctionResult';
  }
}

export type GeneratedResponse = { statusCode: number; headers: Record<string, string | string[]>; body: Buffer };

const maxBodyBytes = 40 * 1024;
const disallowed =
  /^(connection|expect|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-amzn-auth|x-amzn-cf-.*|x-amzn-errortype|x-amzn-fle-profile|x-amzn-header-.*|x-amzn-lambda-integration-tag|x-amzn-requestid|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip)$/;
const readOnlyOfRequest = ['content-length', 'host', 'transfer-encoding', 'via'];
const readOnlyOfResponse = ['content-encoding', 'content-length', 'transfer-encoding', 'warning', 'via'];
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those would split the header
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;

function fail(message: string): never {
  throw new InvalidFunctionResult(message);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The response or the request that a viewer-request function returned. @throws InvalidFunctionResult */
export function readRequestResult(
  result: unknown,
  before: EventRequest,
  hostHeaders: Readonly<Record<string, string | undefined>>,
): { request: EventRequest } | { response: GeneratedResponse } {
  if (!isObject(result)) return fail('The function returned neither a request nor a response.');
  if ('statusCode' in result) return { response: readResponse(result, {}) };
  if (typeof result.uri !== 'string' || !result.uri.startsWith('/')) return fail('The uri must start with a slash.');
  if (/[\s?#]/.test(result.uri)) return fail('The uri must not contain white space, "?" or "#".');
  if (result.method !== before.method) return fail('The method of a request is read-only.');
  const headers = readValues(result.headers, 'headers');
  checkHeaders(headers, readOnlyOfRequest, hostHeaders);
  const querystring = readValues(result.querystring, 'querystring');
  const cookies = readValues(result.cookies, 'cookies');
  return { request: { method: before.method, uri: result.uri, headers, querystring, cookies } };
}

/** Reads a generated response, or the result of a viewer-response function. @throws InvalidFunctionResult */
export function readResponse(
  result: unknown,
  originHeaders: Readonly<Record<string, string | string[] | undefined>>,
): GeneratedResponse {
  if (!isObject(result)) return fail('The function returned no response.');
  const statusCode = Number(result.statusCode);
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) {
    return fail(`${String(result.statusCode)} is not a status code from 200 to 599.`);
  }
  const headers = readValues(result.headers, 'headers');
  checkHeaders(headers, readOnlyOfResponse, originHeaders);
  const cookies = readValues(result.cookies, 'cookies');
  return { statusCode, headers: { ...plain(headers), ...setCookies(cookies) }, body: readBody(result.body) };
}

function readBody(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  const { encoding = 'text', data } = isObject(body) ? body : { data: body };
  if (typeof data !== 'string' || (encoding !== 'text' && encoding !== 'base64')) {
    return fail('A body is text, or an object with encoding ("text" or "base64") and data.');
  }
  const bytes = Buffer.from(data, encoding === 'text' ? 'utf8' : 'base64');
  return bytes.length > maxBodyBytes ? fail(`A body has at most ${maxBodyBytes} bytes.`) : bytes;
}

function readValues(given: unknown, name: string): EventValues {
  if (given === undefined) return {};
  if (!isObject(given)) return fail(`"${name}" is not an object.`);
  for (const [key, one] of Object.entries(given)) {
    const valid = isObject(one) && typeof one.value === 'string' && isMultiValue(one.multiValue);
    if (!valid) return fail(`"${name}.${key}" must be an object with a text "value".`);
  }
  return given as EventValues;
}

const isMultiValue = (given: unknown): boolean =>
  given === undefined || (Array.isArray(given) && given.every((one) => isObject(one) && typeof one.value === 'string'));

/** `before` are the values of read-only headers, which must stay as they are. */
function checkHeaders(
  headers: EventValues,
  readOnly: readonly string[],
  before: Readonly<Record<string, string | string[] | undefined>>,
): void {
  for (const [name, one] of Object.entries(headers)) {
    if (!token.test(name)) fail(`The header name "${name}" is not lower case or has invalid characters.`);
    if (controlCharacter.test(one.value)) fail(`The header "${name}" has a control character.`);
    const unchanged = one.value === String(before[name]);
    if (readOnly.includes(name) && !unchanged) fail(`The header "${name}" is read-only.`);
    if (disallowed.test(name) && !unchanged) fail(`The header "${name}" is not allowed.`);
  }
}

const valuesOf = ({ value, multiValue }: EventValue): string | string[] =>
  multiValue && multiValue.length > 1 ? multiValue.map((one) => one.value) : value;

/** Headers of an event as names and values. */
export const plain = (headers: EventValues): Record<string, string | string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, valuesOf(one)]));

function setCookies(cookies: EventValues): { 'set-cookie'?: string[] } {
  const lines = Object.entries(cookies).map(([name, cookie]) => {
    const { attributes } = cookie as EventValue & { attributes?: string };
    return `${name}=${cookie.value}${attributes ? `; ${attributes}` : ''}`;
  });
  return lines.length > 0 ? { 'set-cookie': lines } : {};
}
