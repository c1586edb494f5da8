import type { components } from './api-types.ts';

export type ErrorCode = components['schemas']['ErrorCode'];
type FieldError = { code: components['schemas']['FieldErrorCode']; limit?: number };

/** An error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** What went wrong, for programs. Undefined where the response is not that of the service itself. */
  readonly code: ErrorCode | undefined;
  /** The ID of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** For status 422: messages by field, dotted where nested. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** For status 422: the codes of `errors`, in their order. Empty for a service of an earlier version. */
  readonly codes: Readonly<Record<string, readonly FieldError[]>>;
  /** The service asks to wait this long before the next attempt. */
  readonly retryAfterSeconds: number | undefined;
  /** False for a response without the service's JSON, such as one of a reverse proxy or of another server. */
  readonly isOfService: boolean;

  constructor(
    status: number,
    message: string,
    {
      code,
      requestId,
      errors = {},
      codes = {},
      retryAfterSeconds,
      isOfService = true,
    }: Partial<Pick<ApiError, 'code' | 'requestId' | 'errors' | 'codes' | 'retryAfterSeconds' | 'isOfService'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.errors = errors;
    this.codes = codes;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isOfService = isOfService;
  }
}

/** The error that a response describes. Reads its body. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = await bodyOf(response);
  const { message = response.statusText, code, request_id: requestId, errors, codes } = body ?? {};
  const retryAfterSeconds = retryAfterOf(response);
  return new ApiError(response.status, message, {
    isOfService: body !== null,
    code,
    requestId,
    ...(errors && { errors }),
    ...(codes && { codes }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

type ErrorBody = { message?: string; request_id?: string } & Partial<Pick<ApiError, 'code' | 'errors' | 'codes'>>;

/** Null for a response that is not of the service, such as one of a reverse proxy, and no JSON. */
const bodyOf = (response: Response): Promise<ErrorBody | null> =>
  response.json().catch(() => null) as Promise<ErrorBody | null>;

/** Undefined where the response does not name a number of seconds. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds : undefined;
}
