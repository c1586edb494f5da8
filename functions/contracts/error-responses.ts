import { type ErrorCode, errorCodes } from '../common/error-codes.ts';
import { isChange, type RouteDeclaration } from './route-declaration.ts';

const header = (type: 'string' | 'integer', description: string) => ({ schema: { type }, description });
const retryAfter = { 'Retry-After': header('integer', 'Seconds.') };

type Status = (typeof errorCodes)[ErrorCode]['status'];
type Example = { message: string; headers?: Record<string, ReturnType<typeof header>> };

/** An example of the message of each status, and the headers that its responses have. */
const examples: Partial<Record<Status, Example>> = {
  400: { message: 'The request body is not valid JSON.' },
  401: { message: 'Unauthenticated.', headers: { 'WWW-Authenticate': header('string', 'Bearer') } },
  402: {
    message: 'The quota of 1000000 uploaded bytes a month does not allow this: 900000 are used and 50000 reserved.',
  },
  403: { message: 'This action is unauthorized.' },
  404: { message: 'Not found.' },
  405: {
    message: 'The PATCH method is not supported for route api/videos. Supported methods: GET, HEAD.',
    headers: { Allow: header('string', 'The supported methods.') },
  },
  409: { message: 'The template is used by 4 videos.' },
  413: { message: 'The request body is too large.' },
  414: { message: 'URI Too Long' },
  415: { message: 'Send the body as application/json.' },
  419: { message: 'CSRF token mismatch.' },
  422: { message: 'The name field is required. (and 1 more error)' },
  429: {
    message: 'Too Many Attempts.',
    headers: {
      ...retryAfter,
      'X-RateLimit-Limit': header('integer', 'Requests a minute.'),
      'X-RateLimit-Remaining': header('integer', 'Requests left in this minute.'),
      'X-RateLimit-Reset': header('integer', 'Unix seconds.'),
    },
  },
  431: { message: 'Request Header Fields Too Large' },
  500: { message: 'Server Error' },
  501: { message: 'The format must be json.' },
  502: { message: 'The node could not be reached over SSH.' },
  503: { message: 'Service unavailable.', headers: retryAfter },
};

const fieldErrors = {
  errors: { name: ['The name field is required.'], email: ['The email has already been taken.'] },
  codes: { name: [{ code: 'required' }], email: [{ code: 'taken' }] },
};

/** The codes of an operation's errors. Most follow from its input and its access. */
export function errorCodesOf(declaration: RouteDeclaration): ErrorCode[] {
  const { access, ability, body, fileTypes, query, params, adminFields, acceptsUploadToken = false } = declaration;
  const { repeats, needsConfirmation = false, errors = [] } = declaration;
  const signed = access !== 'public';
  const codes: (ErrorCode | false)[] = [
    ...errors,
    'method_not_allowed',
    'target_too_long',
    'too_many_requests',
    'headers_too_large',
    'internal_error',
    'service_unavailable',
    'request_too_slow',
    signed && 'unauthenticated',
    ability !== undefined && 'token_expired',
    ability !== undefined && 'token_ability_missing',
    signed && isChange(declaration) && 'csrf_mismatch',
    (access === 'admin' || adminFields !== undefined) && 'forbidden',
    needsConfirmation && 'password_confirmation_required',
    acceptsUploadToken && 'upload_token_origin',
    ...(body || fileTypes ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    body !== undefined && 'malformed_body',
    ...(repeats ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    (body ?? fileTypes ?? query ?? params ?? repeats) !== undefined && 'validation_failed',
  ];
  return [...new Set(codes.filter((code) => code !== false))];
}

/** The error responses of an operation, by status. */
export function errorResponses(declaration: RouteDeclaration) {
  const byStatus = Object.groupBy(errorCodesOf(declaration).toSorted(), (code) => errorCodes[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [status, responseOf(Number(status) as Status, codes)]),
  );
}

function responseOf(status: Status, codes: readonly ErrorCode[]) {
  const { message, headers = {} } = examples[status] ?? { message: '' };
  const schema = status === 422 ? 'ValidationError' : 'Error';
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
    headers,
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: `#/components/schemas/${schema}` },
            { type: 'object' as const, properties: { code: { enum: [...codes] } } },
          ],
        },
        example: {
          message,
          code: codes[0],
          request_id: '0b5c4b0e-5d0e-4a4c-9c53-1f4c6a1f7d0a',
          ...(status === 422 && fieldErrors),
        },
      },
    },
  };
}
