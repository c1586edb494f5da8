import { ApiError } from '../../client/api-error.ts';
import { text } from '../messages/messages.ts';

/** A sentence for the user that says what went wrong and what to do. */
export function errorText(error: unknown): string {
  const { errors } = text.value;
  if (!(error instanceof ApiError)) return error instanceof TypeError ? errors.noConnection : errors.unexpected;
  switch (error.status) {
    case 401:
      return errors.signedOut;
    case 403:
      return errors.forbidden;
    case 404:
      return errors.notFound;
    case 402:
    case 409:
      return error.message;
    case 413:
      return errors.tooLarge;
    case 419:
      return errors.pageExpired;
    case 422:
      return Object.values(error.errors).flat().join(' ') || error.message;
    case 429:
      return errors.tooManyRequests(error.retryAfterSeconds);
    default:
      return error.status >= 500 ? errors.service : error.message;
  }
}

/** The messages of a 422 by field. Other errors have none. */
export const fieldErrors = (error: unknown): Readonly<Record<string, readonly string[]>> =>
  error instanceof ApiError && error.status === 422 ? error.errors : {};
