import * as z from 'zod';
import { maxSourceSeconds } from '../../../shared/protocol/probe-result.ts';
import { cropIssues, trackIssues } from '../../templates/query-rules.ts';
import { pictureSchema, tracksSchema } from '../../templates/query-structure.ts';
import { parsedJson, publishedAs, toMicroseconds } from './fields.ts';

/** How the source of one video is read. These fields are beside the metadata of its upload, and shown on the video. */

const seconds = z.number().min(0).max(maxSourceSeconds).transform(toMicroseconds).nullish();

type ClipEnds = { start_seconds?: number | null | undefined; end_seconds?: number | null | undefined };

function checkEnds(
  { start_seconds: start, end_seconds: end }: ClipEnds,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  if (typeof start !== 'number' && typeof end !== 'number') {
    const message = 'Send at least one of start_seconds and end_seconds.';
    addIssue({ code: 'custom', path: ['start_seconds'], message });
  } else if (typeof end === 'number' && end <= (start ?? 0)) {
    addIssue({ code: 'custom', path: ['end_seconds'], message: 'The end of a clip must be after its start.' });
  }
}

const publishedSeconds = { type: ['number', 'null'], minimum: 0, maximum: maxSourceSeconds };
const clipFields = {
  start_seconds: seconds.meta(publishedAs(publishedSeconds)),
  end_seconds: seconds.meta(publishedAs(publishedSeconds)),
};

/** A request for a clip, with more fields. */
export const clipRequest = <Shape extends z.core.$ZodShape>(more: Shape) =>
  z.object({ ...clipFields, ...more }).superRefine((value, context) => checkEnds(value as ClipEnds, context));

/** The ends of a clip as records have them. */
export const clipOf = ({ start_seconds: start, end_seconds: end }: ClipEnds): Clip => ({
  ...(typeof start === 'number' && { startSeconds: start }),
  ...(typeof end === 'number' && { endSeconds: end }),
});

const publishedClip = {
  type: 'object',
  minProperties: 1,
  properties: { start_seconds: publishedSeconds, end_seconds: publishedSeconds },
};

/** Uppy sends flat texts, so an object may come as its JSON text. */
const newClip = z
  .preprocess(parsedJson, z.object(clipFields).superRefine(checkEnds).transform(clipOf))
  .nullish()
  .meta({
    ...publishedAs({
      anyOf: [publishedClip, { type: 'string', description: 'The JSON text of such an object.' }, { type: 'null' }],
    }),
    description:
      'The part of the file that becomes the video, in seconds from the start of its presentation. It begins with the frame that is shown at start_seconds (0 by default) and ends before end_seconds (the end of the file by default).',
  });

type Published = ReturnType<typeof publishedAs>;

/**
 * The JSON schema of settings that are an object or its text. It is made for the document only: nearly every function
 * loads this module, and only one has the document.
 */
const publishedSettings = (schema: z.ZodType): Published => ({
  override: (context) => {
    const asText = { type: 'string', description: 'The JSON text of such an object.' };
    publishedAs({ anyOf: [jsonSchemaOf(schema), asText, { type: 'null' }] }).override(context);
  },
});

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...published } = z.toJSONSchema(schema, { io: 'input' });
  return published;
}

const newPicture = z
  .preprocess(
    parsedJson,
    pictureSchema.superRefine((picture, { addIssue }) => {
      for (const issue of cropIssues(picture)) addIssue({ code: 'custom', ...issue });
    }),
  )
  .nullish()
  .meta({
    ...publishedSettings(pictureSchema),
    description: 'Instead of all of `picture` in the template, for this video: how its picture is changed.',
  });

const newTracks = z
  .preprocess(
    parsedJson,
    tracksSchema.superRefine((tracks, { addIssue }) => {
      for (const issue of trackIssues(tracks)) addIssue({ code: 'custom', ...issue });
    }),
  )
  .nullish()
  .meta({
    ...publishedSettings(tracksSchema),
    description: 'Instead of all of `tracks` in the template, for this video: which tracks of the file are used.',
  });

/** The fields of the metadata of an upload. */
export const newSourceOptions = { clip: newClip, picture: newPicture, tracks: newTracks };

const shownSeconds = z.number().min(0).nullable();

export const shownClip = z
  .object({ start_seconds: shownSeconds, end_seconds: shownSeconds })
  .nullable()
  .meta({ id: 'Clip', description: 'The part of the source that the video shows; null for all of it.' });

export const shownPicture = pictureSchema
  .nullable()
  .meta({ description: 'What the upload asks for instead of `picture` in the template; null for the template.' });

export const shownTracks = tracksSchema
  .nullable()
  .meta({ description: 'What the upload asks for instead of `tracks` in the template; null for the template.' });

/** The options as the records of uploads and videos have them. */
export const sourceOptions = z.object({
  clip: z.object({ startSeconds: z.number().optional(), endSeconds: z.number().optional() }).optional(),
  picture: pictureSchema.optional(),
  tracks: tracksSchema.optional(),
});
export type SourceOptions = z.infer<typeof sourceOptions>;
export type Clip = NonNullable<SourceOptions['clip']>;

type SentOptions = { [Option in keyof SourceOptions]: SourceOptions[Option] | null | undefined };

/** The options among the fields of a request. Undefined when it has none, so that each state is stored in one form. */
export function sourceOptionsIn({ clip, picture, tracks }: SentOptions): SourceOptions | undefined {
  const given = { ...(clip && { clip }), ...(picture && { picture }), ...(tracks && { tracks }) };
  return Object.keys(given).length > 0 ? given : undefined;
}

/** The fields as requests have them, and responses show them. */
export const serializeSourceOptions = ({ clip, picture, tracks }: SourceOptions = {}) => ({
  clip: clip ? { start_seconds: clip.startSeconds ?? null, end_seconds: clip.endSeconds ?? null } : null,
  picture: picture ?? null,
  tracks: tracks ?? null,
});
