import { type CodeOf, type ErrorCode, errorCodes } from './error-codes.ts';
import { codesOf, type FieldErrors, messagesOf } from './field-errors.ts';
import { pluralize } from './pluralize.ts';

/**
 * An error that becomes an HTTP response: clients see `message` and `code`, which decides the status, and `headers` are
 * sent with it. Anything else that a handler throws becomes a 500.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly statusCode: number;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.statusCode = errorCodes[code].status;
    this.headers = headers;
  }
}

/** An error that people see in a browser: its body is a page. */
export class ErrorPage extends ApiError {
  readonly html: string;

  constructor(code: ErrorCode, message: string, html: string, headers: Record<string, string> = {}) {
    super(code, message, { 'content-type': 'text/html; charset=utf-8', ...headers });
    this.html = html;
  }
}

/** The client should repeat the request, with its method and body, at `location`. */
export class PermanentRedirect extends ApiError {
  constructor(location: string) {
    super('moved_permanently', 'Moved permanently.', { location });
  }
}

export class BadRequest extends ApiError {
  constructor(message = 'The request body is not valid JSON.') {
    super('malformed_body', message);
  }
}

export class Unauthenticated extends ApiError {
  constructor() {
    super('unauthenticated', 'Unauthenticated.', { 'www-authenticate': 'Bearer' });
  }
}

export class TokenExpired extends ApiError {
  constructor(since: string) {
    super('token_expired', `The token expired at ${since}. Create another one.`, { 'www-authenticate': 'Bearer' });
  }
}

/** The sign-in of the session is too long ago for what is asked for. */
export class PasswordConfirmationRequired extends ApiError {
  constructor() {
    super('password_confirmation_required', 'Confirm your password first, with POST /api/session/confirm.');
  }
}

/** @param needed abilities of which the token has none */
export class TokenAbilityMissing extends ApiError {
  constructor(needed: readonly string[]) {
    super('token_ability_missing', `This needs a token with the ability ${needed.join(' or ')}.`);
  }
}

/** The quota of a user does not allow the request in this month. */
export class QuotaExceeded extends ApiError {
  constructor(message: string) {
    super('quota_exceeded', message);
  }
}

export class Forbidden extends ApiError {
  constructor() {
    super('forbidden', 'This action is unauthorized.');
  }
}

export class NotFound extends ApiError {
  constructor() {
    super('not_found', 'Not found.');
  }
}

/** No operation has the path of the request. */
export class NoSuchRoute extends ApiError {
  constructor() {
    super('no_such_route', 'Not found.');
  }
}

export class MethodNotAllowed extends ApiError {
  constructor(method: string, path: string, allowed: string[]) {
    const route = path.replace(/^\//, '');
    super(
      'method_not_allowed',
      `The ${method} method is not supported for route ${route}. Supported methods: ${allowed.join(', ')}.`,
      {
        allow: allowed.join(', '),
      },
    );
  }
}

/** The service has no response in the requested format. */
export class NotImplemented extends ApiError {
  constructor(message: string) {
    super('format_not_supported', message);
  }
}

export class Conflict extends ApiError {
  constructor(code: CodeOf<409>, message: string) {
    super(code, message);
  }
}

/** What was asked for needs the uploaded file of a video, which is deleted. */
export class SourceDeleted extends Conflict {
  constructor() {
    super('source_deleted', 'The uploaded file of the video is deleted. Upload it again as another video.');
  }
}

/** A record has changed between the moment when it was read and that when it was to be written. */
export class ConcurrentChange extends Conflict {
  constructor(record: string) {
    super('concurrent_change', `Another request changed the ${record} at the same time. Please try again.`);
  }
}

export class PayloadTooLarge extends ApiError {
  constructor(code: CodeOf<413>, message: string) {
    super(code, message);
  }
}

export class UnsupportedMediaType extends ApiError {
  constructor(types: readonly string[] = ['application/json']) {
    super('unsupported_media_type', `Send the body as ${types.join(' or ')}.`);
  }
}

export class CsrfMismatch extends ApiError {
  constructor() {
    super('csrf_mismatch', 'CSRF token mismatch.');
  }
}

/**
 * Field errors by dotted path, such as `metadata.template`. The message is the first error and the number of the
 * others.
 */
export class ValidationFailed extends ApiError {
  readonly errors: Record<string, string[]>;
  /** The codes of the messages in `errors`, in their order. */
  readonly codes: ReturnType<typeof codesOf>;

  constructor(fieldErrors: FieldErrors, code: CodeOf<422> = 'validation_failed') {
    const errors = messagesOf(fieldErrors);
    const [first = 'The given data was invalid.', ...rest] = Object.values(errors).flat();
    const more = rest.length === 0 ? '' : ` (and ${pluralize(rest.length, 'more error')})`;
    super(code, `${first}${more}`);
    this.errors = errors;
    this.codes = codesOf(fieldErrors);
  }
}

const nameOf = (field: string): string => field.replaceAll('_', ' ');

/** The field refers to a record that the caller does not have. */
export const unknownRecord = (field: string): ValidationFailed =>
  new ValidationFailed({ [field]: [{ code: 'unknown', message: `The selected ${nameOf(field)} is invalid.` }] });

export const taken = (field: string): ValidationFailed =>
  new ValidationFailed({ [field]: [{ code: 'taken', message: `The ${nameOf(field)} has already been taken.` }] });

export class TooManyRequests extends ApiError {
  readonly errors: Record<string, string[]> | undefined;

  constructor(retryAfterSeconds: number, errors?: Record<string, string[]>) {
    super('too_many_requests', 'Too Many Attempts.', { 'retry-after': String(retryAfterSeconds) });
    this.errors = errors;
  }
}

export class BadGateway extends ApiError {
  constructor(message = 'The node could not be reached over SSH.') {
    super('node_unreachable', message);
  }
}

export class ServiceUnavailable extends ApiError {
  constructor(code: CodeOf<503> = 'service_unavailable', message = 'Service unavailable.', retryAfterSeconds = 5) {
    super(code, message, { 'retry-after': String(retryAfterSeconds) });
  }
}
