import { codesOf, type FieldErrors, messagesOf } from './field-errors.ts';
import { pluralize } from './pluralize.ts';

/**
 * An error that becomes an HTTP response: clients see `message`, and `headers` are sent with it. Anything else that a
 * handler throws becomes a 500.
 */
export class ApiError extends Error {
  readonly statusCode: number;
  readonly headers: Record<string, string>;

  constructor(statusCode: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = new.target.name;
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

/** An error that people see in a browser: its body is a page. */
export class ErrorPage extends ApiError {
  readonly html: string;

  constructor(statusCode: number, message: string, html: string, headers: Record<string, string> = {}) {
    super(statusCode, message, { 'content-type': 'text/html; charset=utf-8', ...headers });
    this.html = html;
  }
}

/** The client should repeat the request, with its method and body, at `location`. */
export class PermanentRedirect extends ApiError {
  constructor(location: string) {
    super(308, 'Moved permanently.', { location });
  }
}

export class BadRequest extends ApiError {
  constructor(message = 'The request body is not valid JSON.') {
    super(400, message);
  }
}

export class Unauthenticated extends ApiError {
  constructor() {
    super(401, 'Unauthenticated.', { 'www-authenticate': 'Bearer' });
  }
}

/** The quota of a user does not allow the request in this month. */
export class QuotaExceeded extends ApiError {
  constructor(message: string) {
    super(402, message);
  }
}

export class Forbidden extends ApiError {
  constructor() {
    super(403, 'This action is unauthorized.');
  }
}

export class NotFound extends ApiError {
  constructor() {
    super(404, 'Not found.');
  }
}

export class MethodNotAllowed extends ApiError {
  constructor(method: string, path: string, allowed: string[]) {
    const route = path.replace(/^\//, '');
    super(405, `The ${method} method is not supported for route ${route}. Supported methods: ${allowed.join(', ')}.`, {
      allow: allowed.join(', '),
    });
  }
}

/** The service has no response in the requested format. */
export class NotImplemented extends ApiError {
  constructor(message: string) {
    super(501, message);
  }
}

export class Conflict extends ApiError {
  constructor(message: string) {
    super(409, message);
  }
}

/** A record has changed between the moment when it was read and that when it was to be written. */
export class ConcurrentChange extends Conflict {
  constructor(record: string) {
    super(`Another request changed the ${record} at the same time. Please try again.`);
  }
}

export class PayloadTooLarge extends ApiError {
  constructor(message = 'The request body is too large.') {
    super(413, message);
  }
}

export class UnsupportedMediaType extends ApiError {
  constructor(types: readonly string[] = ['application/json']) {
    super(415, `Send the body as ${types.join(' or ')}.`);
  }
}

export class CsrfMismatch extends ApiError {
  constructor() {
    super(419, 'CSRF token mismatch.');
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

  constructor(fieldErrors: FieldErrors) {
    const errors = messagesOf(fieldErrors);
    const [first = 'The given data was invalid.', ...rest] = Object.values(errors).flat();
    const more = rest.length === 0 ? '' : ` (and ${pluralize(rest.length, 'more error')})`;
    super(422, `${first}${more}`);
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
    super(429, 'Too Many Attempts.', { 'retry-after': String(retryAfterSeconds) });
    this.errors = errors;
  }
}

export class BadGateway extends ApiError {
  constructor(message = 'The node could not be reached over SSH.') {
    super(502, message);
  }
}

export class ServiceUnavailable extends ApiError {
  constructor(message = 'Service unavailable.', retryAfterSeconds = 5) {
    super(503, message, { 'retry-after': String(retryAfterSeconds) });
  }
}
