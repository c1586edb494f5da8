/** An error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** For status 422: messages by field, dotted where nested. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The service asks to wait this long before the next attempt. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    { errors = {}, retryAfterSeconds }: Partial<Pick<ApiError, 'errors' | 'retryAfterSeconds'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error that a response describes. Reads its body. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { message = response.statusText, errors } = await bodyOf(response);
  const retryAfterSeconds = retryAfterOf(response);
  return new ApiError(response.status, message, {
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

type ErrorBody = { message?: string; errors?: Record<string, string[]> };

/** A response that is not of the service, such as one of a reverse proxy, may not be JSON. */
const bodyOf = async (response: Response): Promise<ErrorBody> =>
  ((await response.json().catch(() => null)) ?? {}) as ErrorBody;

/** Undefined where the response does not name a number of seconds. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds : undefined;
}
