import type * as z from 'zod';
import { ValidationFailed } from '../common/errors.ts';
import type { FieldError } from '../common/field-errors.ts';
import type { Call } from './call.ts';
import { fieldError, fieldMessage } from './field-messages.ts';

/** A body with a million invalid items would otherwise exceed the size limit of a Lambda response. */
const maxErrors = 100;

/**
 * Validates parameters, query and body, and reports the errors of all three.
 * @throws ValidationFailed
 */
export function validate(call: Call): void {
  const { params, query, body } = call.route.declaration;
  // Without a prototype, since a client may send a field named `constructor`.
  const errors: Record<string, FieldError[]> = Object.create(null);
  call.params = params ? parsePart(params, call.pathParams, errors) : call.pathParams;
  call.query = query && parsePart(query, call.rawQuery, errors);
  call.body = body && !call.file && parsePart(body, call.rawBody, errors);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

function parsePart(schema: z.ZodType, input: unknown, errors: Record<string, FieldError[]>): unknown {
  const result = schema.safeParse(input, { error: fieldMessage, reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues.flatMap(splitUnknownKeys).slice(0, maxErrors)) {
    const field = issue.path.map(String).join('.');
    const error = fieldError(issue);
    const known = errors[field] ?? [];
    if (!known.some(({ message }) => message === error.message)) errors[field] = [...known, error];
  }
  return undefined;
}

/** One error for each field that a strict schema does not know, under the field's name. */
const splitUnknownKeys = (issue: z.core.$ZodIssue): z.core.$ZodIssue[] =>
  issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys.map((key) => ({
        ...issue,
        path: [key],
        message: `The ${key.replaceAll('_', ' ')} field is prohibited.`,
      }))
    : [issue];
