import * as z from 'zod';
import { descriptionLimits } from '../../common/limits.ts';
import { parsedJson, publishedAs, shownText, text } from './fields.ts';

/** What the owner of a video describes it with: pairs of texts, and tags by which lists are filtered. */

const { maxPairs, maxKeyCharacters, maxValueCharacters, maxTags, maxTagCharacters } = descriptionLimits;

const keyPattern = new RegExp(`^[a-zA-Z0-9_.-]{1,${maxKeyCharacters}}$`);

/** With this name, an assignment in JavaScript changes the prototype of an object. */
const reservedKey = '__proto__';

const key = z.string().regex(keyPattern);
export const shownMetadata = z
  .record(key, shownText(maxValueCharacters))
  .meta({ id: 'Metadata', maxProperties: maxPairs, description: 'Pairs that the owner has given the video.' });

const value = text(maxValueCharacters).refine((one) => one.isWellFormed(), {
  error: (issue) => ({ message: `The ${String(issue.path?.join('.'))} field must be valid Unicode text.` }),
});

export const tooManyPairs = `The metadata field must not have more than ${maxPairs} pairs.`;

/** An empty text counts as null, as an empty text of any other field counts as absent. */
const removable = z.preprocess((one) => (one === '' ? null : one), value.nullable());

/** Pairs of which `null` removes one. The keys are checked before zod reads the object, which drops a reserved one. */
const pairs = z
  .unknown()
  .superRefine((sent, context) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return;
    for (const name of Object.keys(sent)) {
      if (keyPattern.test(name) && name !== reservedKey) continue;
      const message = `The metadata field has an invalid key. Use 1 to ${maxKeyCharacters} of a-z, A-Z, 0-9, _ . and -, and not ${reservedKey}.`;
      context.addIssue({ code: 'custom', message });
      return;
    }
  })
  .pipe(z.record(z.string(), removable))
  .refine((sent) => Object.values(sent).filter((one) => one !== null).length <= maxPairs, { error: tooManyPairs });

const publishedPairs = (valueType: string | string[]) => ({
  type: 'object',
  maxProperties: maxPairs,
  propertyNames: { pattern: keyPattern.source },
  additionalProperties: { type: valueType, maxLength: maxValueCharacters },
});

/** Merged into the pairs that a video has. */
export const metadataChanges = pairs.meta({
  ...publishedAs(publishedPairs(['string', 'null'])),
  description: 'Is merged with the pairs that exist: null removes a pair.',
});

/** Of a new video. Uppy sends flat texts, so an object may come as its JSON text. */
export const newMetadata = z
  .preprocess(parsedJson, pairs)
  .transform(
    (sent) =>
      Object.fromEntries(Object.entries(sent).filter(([, one]) => one !== null)) as Readonly<Record<string, string>>,
  )
  .optional()
  .meta({
    ...publishedAs({
      anyOf: [publishedPairs('string'), { type: 'string', description: 'The JSON text of such an object.' }],
    }),
    description: 'Metadata of the video.',
  });

/**
 * A tag as it is stored and compared: tags that differ in case or in Unicode form are the same. Characters that are not
 * visible would make different tags look the same. A comma separates tags.
 */
const tag = z
  .string()
  .transform((sent) => sent.trim().normalize('NFC').toLowerCase().normalize('NFC'))
  .pipe(
    text(maxTagCharacters).refine((one) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control},]/u.test(one), {
      error: 'A tag must not contain commas, control characters or marks of the direction of text.',
    }),
  );

const publishedTags = {
  type: 'array',
  maxItems: maxTags,
  items: { type: 'string', minLength: 1, maxLength: maxTagCharacters },
};

const distinct = (sent: readonly string[]): string[] => [...new Set(sent)];

/** The tags of a video, replaced as a whole. */
export const tags = z.array(tag).max(maxTags).transform(distinct).meta(publishedAs(publishedTags));

/** Of a new video. Uppy sends flat texts, so a list may come as one text with commas. */
export const newTags = z
  .preprocess((sent) => (typeof sent === 'string' ? sent.split(',').filter((one) => one.trim() !== '') : sent), tags)
  .optional()
  .meta({
    ...publishedAs({
      anyOf: [publishedTags, { type: 'string', description: 'Separated by commas.' }],
    }),
    description: 'Tags of the video.',
  });

export const shownTags = z.array(shownText(maxTagCharacters)).meta({ maxItems: maxTags });
