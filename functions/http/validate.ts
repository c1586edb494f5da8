import type * as z from 'zod';
import { ValidationFailed } from '../common/errors.ts';
import type { Call } from './call.ts';
import { fieldMessage, isMissing, requiredMessage } from './field-messages.ts';

/** A body of a million wrong items is told of the first: with all of them the answer would be larger than a function may give. */
const mostErrors = 100;

/**
 * Checks parameters, query and body, all of them before it complains.
 * @throws ValidationFailed
 */
export function validate(call: Call): void {
  const { params, query, body } = call.route.fact;
  // Without a prototype: a field that a client calls `constructor` has no messages yet.
  const errors: Record<string, string[]> = Object.create(null);
  call.params = params ? parsed(params, call.pathParams, errors) : call.pathParams;
  call.query = query && parsed(query, call.rawQuery, errors);
  call.body = body && parsed(body, call.rawBody, errors);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

function parsed(schema: z.ZodType, input: unknown, errors: Record<string, string[]>): unknown {
  const result = schema.safeParse(input, { error: fieldMessage, reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues.flatMap(eachField).slice(0, mostErrors)) {
    const field = issue.path.map(String).join('.');
    const message = isMissing(issue) ? requiredMessage(issue.path) : issue.message;
    const messages = errors[field] ?? [];
    if (!messages.includes(message)) errors[field] = [...messages, message];
  }
  return undefined;
}

/** Fields that a strict body does not know are told one by one, each under its name. */
const eachField = (issue: z.core.$ZodIssue): z.core.$ZodIssue[] =>
  issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys.map((key) => ({
        ...issue,
        path: [key],
        message: `The ${key.replaceAll('_', ' ')} field is prohibited.`,
      }))
    : [issue];
