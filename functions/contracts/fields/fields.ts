import * as z from 'zod';

/** Fields that several resources share. Texts are trimmed and empty texts removed before validation. */

/** Replaces the schema in the published document where the generated one would describe parsing steps. */
export const publishedAs = (schema: Record<string, unknown>) => ({
  override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
    for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key];
    Object.assign(jsonSchema, schema);
  },
});

/** Characters, not UTF-16 units: an emoji is one. */
export const text = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .refine((value) => value.length <= maxCharacters || [...value].length <= maxCharacters, {
      params: { maxCharacters },
    })
    .meta({ maxLength: maxCharacters });

/** A text in a response, with the bound of its input. */
export const shownText = (maxCharacters: number) => z.string().meta({ maxLength: maxCharacters });

export const name = text(255);

export const integerId = z.int().min(1);

export const ulid = z
  .string()
  .length(26)
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** A ULID in a request; case-insensitive. */
export const ulidInput = z
  .string()
  .toUpperCase()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

export const url = z.string().meta({ format: 'uri' });

export const timestamp = z.string().meta({
  format: 'date-time',
  description: 'ISO 8601, UTC, microsecond precision, Z suffix.',
  example: '2026-11-20T10:00:00.000000Z',
});

/** Microseconds are more exact than any frame or sample, and the table cannot store numbers close to zero. */
export const toMicroseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

/** A whole number in a query string. */
export const queryInteger = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?[0-9]{1,16}$/, { error: (issue) => ({ message: integerMessage(issue.path) }) })
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .meta(publishedAs(integerBetween(minimum, maximum)));

export const integerBetween = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => ({
  type: 'integer',
  minimum,
  ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
});

const integerMessage = (path: PropertyKey[] | undefined): string =>
  `The ${String(path?.at(-1) ?? 'value').replaceAll('_', ' ')} field must be an integer.`;

/** A partial update with at least one field. */
export const atLeastOne = <Schema extends z.ZodObject>(schema: Schema) =>
  schema
    .superRefine((value, context) => {
      if (Object.values(value).some((field) => field !== undefined)) return;
      const names = Object.keys(schema.shape);
      context.addIssue({
        code: 'custom',
        path: [names[0]!],
        message: `Send at least one of ${names.join(', ')}.`,
      });
    })
    .meta({ minProperties: 1 });

export const message = z.object({ message: z.string() });

/** What a JSON text says; anything else as it is, for the schema to refuse. */
export function parsedJson(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}
