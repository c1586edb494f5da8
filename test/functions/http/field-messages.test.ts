import { expect, test } from 'vitest';
import * as z from 'zod';
import { text } from '../../../functions/contracts/fields/fields.ts';
import { fieldError, fieldMessage } from '../../../functions/http/field-messages.ts';

/** The errors of a value for the field `size`. */
function errorsOf(schema: z.ZodType, value: unknown) {
  const parsed = z.object({ size: schema }).safeParse({ size: value }, { error: fieldMessage, reportInput: true });
  return parsed.error?.issues.map(fieldError);
}

test.each([
  ['absent', z.string(), undefined, { code: 'required' }],
  ['null', z.enum(['a']), null, { code: 'required' }],
  ['empty', z.string().min(1), '', { code: 'required' }],
  ['of another type', z.int(), 1.5, { code: 'wrong_type' }],
  ['too short', z.string().min(8), 'abc', { code: 'too_short', limit: 8 }],
  ['too long', z.string().max(3), 'abcd', { code: 'too_long', limit: 3 }],
  ['too long in characters', text(3), 'abcd', { code: 'too_long', limit: 3 }],
  ['too few', z.array(z.int()).min(2), [1], { code: 'too_few', limit: 2 }],
  ['too many', z.array(z.int()).max(1), [1, 2], { code: 'too_many', limit: 1 }],
  ['too small', z.int().min(1), 0, { code: 'too_small', limit: 1 }],
  ['too large', z.int().max(9), 10, { code: 'too_large', limit: 9 }],
  ['no email address', z.email(), 'a', { code: 'email' }],
  ['of another form', z.string().regex(/^a$/), 'b', { code: 'format' }],
  ['no choice', z.enum(['a']), 'b', { code: 'unknown' }],
  ['a field too many', z.strictObject({}), { a: 1 }, { code: 'prohibited' }],
  ['no date', z.string().refine(() => false, { params: { rule: 'date' } }), 'x', { code: 'date' }],
  [
    'refused by its schema',
    z.string().refine(() => false, { params: { code: 'taken' }, error: 'No.' }),
    'x',
    { code: 'taken' },
  ],
  ['refused for a reason without a code', z.string().refine(() => false, { error: 'No.' }), 'x', { code: 'invalid' }],
  [
    'of another form, with a message of its schema',
    z.string().regex(/^a$/, { error: 'Like a.' }),
    'b',
    { code: 'invalid' },
  ],
])('a value that is %s has a code', (_, schema, value, error) => {
  expect(errorsOf(schema, value)).toEqual([{ ...error, message: expect.any(String) }]);
});
