import * as fc from 'fast-check';
import type { Schema } from '../../test/fixtures/read-published-document.ts';
import { oddValue } from './odd-values.ts';

/** Fields that name a record: `recordMark` is replaced by an existing id when the request is sent. */
const recordFields = new Set(['template', 'template_id', 'user_id', 'video_id', 'ssh_key_id', 'email', 'key']);
export const recordMark = (field: string): string => `«${field}»`;

/** A value that is mostly valid for the schema, with something odd in a few parts. */
export function valueFor(schema: Schema, schemas: Record<string, Schema>, field = ''): fc.Arbitrary<unknown> {
  const right = rightValue(schema, schemas, field);
  const known = recordFields.has(field) ? [{ weight: 20, arbitrary: fc.constant(recordMark(field)) }] : [];
  return fc.oneof({ weight: 14, arbitrary: right }, ...known, { weight: 1, arbitrary: oddValue });
}

function rightValue(schema: Schema, schemas: Record<string, Schema>, field: string): fc.Arbitrary<unknown> {
  if (schema.$ref) return rightValue(schemas[schema.$ref.split('/').at(-1)!] ?? {}, schemas, field);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => rightValue(one, schemas, field)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? oddValue : fc.oneof(...types.map((type) => ofType(type, schema, schemas)));
}

function ofType(type: string, schema: Schema, schemas: Record<string, Schema>): fc.Arbitrary<unknown> {
  const { minimum = -1000, maximum = 10_000, minItems = 0, maxItems = minItems + 3 } = schema;
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: Math.max(minimum, maximum) }), fc.constantFrom(minimum, maximum));
    case 'number':
      return fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, schemas), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 3),
      });
    case 'object':
      return objectOf(schema, schemas);
    default:
      return fc.constant(null);
  }
}

function textOf({ pattern, format, minLength = 0, maxLength = 255 }: Schema): fc.Arbitrary<string> {
  if (format === 'date')
    return fc.constantFrom('2026-11-20', '2026-11-21', '2026-01-01', '2024-02-29', '0001-01-01', '9999-12-31');
  if (format === 'email') return fc.emailAddress();
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
}

function objectOf({ properties = {}, required = [] }: Schema, schemas: Record<string, Schema>): fc.Arbitrary<unknown> {
  const fields = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, schemas, name)])),
    { requiredKeys: required },
  );
  const extra = fc.dictionary(
    fc.constantFrom('is_admin', 'id', 'ulid', 'constructor', 'toString', 'user_id', 'x'),
    oddValue,
    { maxKeys: 2 },
  );
  return fc.oneof(
    { weight: 8, arbitrary: fields },
    { weight: 1, arbitrary: fc.tuple(fields, extra).map(([known, more]) => ({ ...(known as object), ...more })) },
  );
}
