import * as z from 'zod';

/** Field types of template.query, each with an error that says what to give. */

const oneOf = (values: readonly (string | number)[]): string => `Choose one of: ${values.join(', ')}.`;

export const text = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });

export const integer = (min: number, max: number) => {
  const error = `Give a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error, abort: true }).max(max, { error, abort: true });
};

export const even = (min: number, max: number) =>
  integer(min, max).multipleOf(2, { error: 'Give an even number: the encoders work on pairs of pixels.' });

export const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: oneOf(values) });

export const numberChoice = <const Values extends readonly [number, ...number[]]>(values: Values) =>
  z.literal(values, { error: oneOf(values) });

export const strict = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Remove ${issue.keys.map((key) => `"${key.slice(0, 40)}"`).join(', ')}: the keys known here are ${Object.keys(shape).join(', ')}.`
        : `Give an object with the keys ${Object.keys(shape).join(', ')}.`,
  });

export const listOf = <Item extends z.core.$ZodType>(item: Item, min: number, max: number) => {
  const error = `Give a list of ${min === 0 ? 'at most' : `${min} to`} ${max} entries.`;
  return z.array(item, { error }).min(min, { error }).max(max, { error });
};

/** The table cannot store numbers closer to zero. */
export const isStorable = (value: number): boolean => value === 0 || Math.abs(value) > 1e-9;

export const seconds = (min: number, max: number) => {
  const error = `Give a number of seconds from ${min} to ${max}.`;
  return z.number({ error }).min(min, { error }).max(max, { error }).refine(isStorable, { error });
};
