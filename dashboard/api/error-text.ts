import { ApiError } from '../../client/api-error.ts';
import type { FieldErrorCode } from '../../client/texts/code-texts-en.ts';
import { fieldErrorLines, fieldErrorTexts, refusalText } from '../../client/texts/describe-codes.ts';
import { language, text } from '../messages/messages.ts';

/** A sentence for the user that says what went wrong and what to do. */
export function errorText(error: unknown): string {
  const { errors } = text.value;
  if (!(error instanceof ApiError)) return error instanceof TypeError ? errors.noConnection : errors.unexpected;
  switch (error.status) {
    case 401:
      return errors.signedOut;
    case 403:
      return error.code === 'password_confirmation_required' ? errors.notConfirmed : errors.forbidden;
    case 404:
      return errors.notFound;
    case 402:
    case 409:
      return refusalText(text.value.codes, error);
    case 413:
      return errors.tooLarge;
    case 419:
      return errors.pageExpired;
    case 422:
      return fieldErrorLines(text.value.codes, error, language.value).join(' ') || error.message;
    case 429:
      return errors.tooManyRequests(error.retryAfterSeconds);
    default:
      return error.status >= 500 ? errors.service : text.value.codes.ofService(error.message);
  }
}

/** What is wrong by field, of a 422. Other errors have none. */
export const fieldErrors = (error: unknown): Readonly<Record<string, readonly string[]>> =>
  error instanceof ApiError && error.status === 422 ? fieldErrorTexts(text.value.codes, error, language.value) : {};

/** Whether a field has this fault. */
export const hasFieldCode = (error: unknown, code: FieldErrorCode): boolean =>
  error instanceof ApiError && Object.values(error.codes).some((all) => all.some((one) => one.code === code));
