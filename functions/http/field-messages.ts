import type * as z from 'zod';

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
export const isMissing = (issue: { code?: string; input?: unknown }): boolean =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') &&
  (issue.input === undefined || issue.input === null);

export const requiredMessage = (path: PropertyKey[] = []): string => `The ${attribute(path)} field is required.`;

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
