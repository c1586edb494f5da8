import type * as z from 'zod';
import type { FieldError, FieldErrorCode } from '../common/field-errors.ts';

/** Validation messages in Laravel's wording. A message that a schema defines itself takes precedence. */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  const field = `The ${attribute(issue.path ?? [])} field`;
  if (isMissing(issue)) return requiredMessage(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return `${field} must be ${kinds[issue.expected] ?? 'valid'}.`;
    case 'too_small':
      if (issue.origin === 'string') {
        return issue.minimum === 1 ? `${field} is required.` : `${field} must be at least ${issue.minimum} characters.`;
      }
      if (issue.origin === 'array') return `${field} must have at least ${issue.minimum} items.`;
      return `${field} must be at least ${issue.minimum}.`;
    case 'too_big':
      if (issue.origin === 'string') return tooLong(field, Number(issue.maximum));
      if (issue.origin === 'array') return `${field} must not have more than ${issue.maximum} items.`;
      return `${field} must not be greater than ${issue.maximum}.`;
    case 'invalid_format':
      return issue.format === 'email'
        ? `${field} must be a valid email address.`
        : `The ${attribute(issue.path ?? [])} field format is invalid.`;
    case 'invalid_value':
      return `The selected ${attribute(issue.path ?? [])} is invalid.`;
    case 'custom':
      if (typeof issue.params?.maxCharacters === 'number') return tooLong(field, issue.params.maxCharacters);
      return issue.params?.rule === 'date' ? `${field} must be a valid date.` : `${field} is invalid.`;
    default:
      return `${field} is invalid.`;
  }
};

/** Whether a required field is missing: all schemas use the same message for that. */
const isMissing = (issue: { code?: string; input?: unknown }): boolean =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') &&
  (issue.input === undefined || issue.input === null);

const requiredMessage = (path: PropertyKey[] = []): string => `The ${attribute(path)} field is required.`;

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const tooLong = (field: string, maximum: number): string => `${field} must not be greater than ${maximum} characters.`;

const attribute = (path: PropertyKey[]): string => path.map(String).join('.').replaceAll('_', ' ');

/**
 * The message of an issue and its code. An issue with a message of its schema has the code that the schema gives it
 * (`params.code`), if any: what is wrong is only in the message otherwise.
 */
export function fieldError(issue: z.core.$ZodIssue): FieldError {
  if (isMissing(issue)) return { code: 'required', message: requiredMessage(issue.path) };
  const { message } = issue;
  if (issue.code === 'unrecognized_keys') return { code: 'prohibited', message };
  if (issue.code === 'custom') {
    const { code, maxCharacters, rule } = issue.params ?? {};
    if (typeof maxCharacters === 'number') return { code: 'too_long', message, limit: maxCharacters };
    return { code: rule === 'date' ? 'date' : ((code as FieldErrorCode | undefined) ?? 'invalid'), message };
  }
  if (message !== fieldMessage(issue as z.core.$ZodRawIssue)) return { code: 'invalid', message };
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'wrong_type', message };
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return { code: 'required', message };
      return { code: sizeCodes(issue.origin).small, message, limit: Number(issue.minimum) };
    case 'too_big':
      return { code: sizeCodes(issue.origin).big, message, limit: Number(issue.maximum) };
    case 'invalid_format':
      return { code: issue.format === 'email' ? 'email' : 'format', message };
    case 'invalid_value':
      return { code: 'unknown', message };
    default:
      return { code: 'invalid', message };
  }
}

const sizeCodes = (origin: string): { small: FieldErrorCode; big: FieldErrorCode } =>
  origin === 'string'
    ? { small: 'too_short', big: 'too_long' }
    : origin === 'array'
      ? { small: 'too_few', big: 'too_many' }
      : { small: 'too_small', big: 'too_large' };
