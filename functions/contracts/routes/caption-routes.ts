import * as z from 'zod';
import { captionLimits } from '../../../shared/captions/caption-limits.ts';
import { captionKinds } from '../../../shared/captions/cue.ts';
import { canonicalLanguage } from '../fields/caption-language.ts';
import { publishedAs, shownText, text, ulid } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { captionStatuses } from '../statuses.ts';

const captionKind = z.enum(captionKinds).meta({ id: 'CaptionKind' });
const maxLabelCharacters = 100;

export const captionFields = {
  ulid,
  language: z.string().meta({ description: 'BCP 47 tag; und for an embedded track of unknown language.' }),
  kind: captionKind,
  label: shownText(maxLabelCharacters),
  default: z.boolean().meta({
    description: 'Players show it unless the viewer chooses another. At most one: the last one that was stored.',
  }),
  origin: z
    .enum(['upload', 'embedded', 'generated'])
    .meta({ description: 'generated: made of the speech of the video.' }),
  status: z.enum(captionStatuses),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why an embedded track, or the speech of the video, could not be used.' }),
};

const caption = z
  .object({
    ...captionFields,
    url: z.string().nullable().meta({
      format: 'uri',
      description:
        'The WebVTT file. The same for an hour; valid for at least six, of a public video without expiry. Null without a file, or while nothing delivers it.',
    }),
  })
  .meta({ id: 'Caption' });

function toLanguage(tag: string, context: z.RefinementCtx): string {
  const language = canonicalLanguage(tag);
  if (language !== undefined) return language;
  context.addIssue({ code: 'custom', message: 'The language must be a BCP 47 tag, such as de or pt-BR.' });
  return z.NEVER;
}

const params = z.object({
  ulid: z.string(),
  language: z
    .string()
    .transform(toLanguage)
    .meta(publishedAs({ type: 'string', minLength: 2, maxLength: 35, example: 'de' })),
});

// As published: not all readers of the document know `\P{Cc}`, which has the same meaning.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
const label = text(maxLabelCharacters).regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, {
  error: 'The label must not have line breaks or control characters.',
});

const chosenKind = captionKind.default('captions').meta(
  publishedAs({
    type: 'string',
    enum: captionKinds,
    default: 'captions',
    description: 'forced: for viewers who have chosen no text track, such as signs and foreign dialogue.',
  }),
);

const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((value) => value === 'true' || value === '1')
  .meta(publishedAs({ type: 'boolean', default: false }));

export const captionRoutes = {
  list: {
    operationId: 'listCaptions',
    method: 'GET',
    path: '/api/videos/{ulid}/captions',
    tag: 'Videos',
    summary: 'Captions and other text tracks of a video',
    description: 'At most 100, by language and kind. Owner or administrator; others get 404.',
    access: 'user',
    ability: 'videos:read',
    status: 200,
    response: z.object({ data: z.array(caption) }),
    errors: ['not_found'],
  },
  put: {
    operationId: 'putCaptions',
    method: 'PUT',
    path: '/api/videos/{ulid}/captions/{language}',
    tag: 'Videos',
    summary: 'Upload captions as WebVTT or SubRip',
    description:
      'A file in UTF-8, at most 2 MiB, for a video in any status. As application/x-subrip, also of a WebVTT file, UTF-16 with a byte order mark is read too. Replaces captions of the same language and kind (200). Cues are put in order; cues without a text or a readable time, styles, regions and unknown tags are removed. A file without a cue is 422. The manifests of completed outputs list the captions within 2 seconds: read the sources again. Those that are being encoded list them when they are completed.',
    access: 'user',
    ability: 'videos:write',
    params,
    query: z.object({
      kind: chosenKind,
      label: label.optional().meta({ description: 'Shown to viewers. Default: the name of the language, in itself.' }),
      default: flag,
    }),
    fileTypes: ['text/vtt', 'application/x-subrip'],
    bodyLimitBytes: captionLimits.maxFileBytes,
    bodyExample: 'WEBVTT\n\n00:01.000 --> 00:04.000\nGuten Morgen!\n',
    status: 201,
    replacedStatus: 200,
    response: z.object({ data: caption }),
    errors: ['not_found', 'concurrent_change'],
  },
  text: {
    operationId: 'getCaptionText',
    method: 'GET',
    path: '/api/videos/{ulid}/captions/{language}/text',
    tag: 'Videos',
    summary: 'Captions as text',
    description:
      'A line for each cue with its time, such as `[00:00:01.000] Guten Morgen!`, without tags. Of captions of each origin; 404 while they have no file.',
    access: 'user',
    ability: 'videos:read',
    params,
    query: z.object({ kind: chosenKind }),
    status: 200,
    response: z.string().meta({ examples: ['[00:00:01.000] Guten Morgen!\n'] }),
    responseType: 'text/plain',
    cacheControl: 'private, no-cache',
    errors: ['not_found'],
  },
  generate: {
    operationId: 'generateCaptions',
    repeats: 'again',
    method: 'POST',
    path: '/api/videos/{ulid}/captions/generate',
    tag: 'Videos',
    summary: 'Make captions from speech',
    description:
      'Workers recognise what is said in the first audio track, or in the one of the given language, when no video waits for them. Until then the captions are pending; without a language, und is theirs until the spoken one is detected. The end is an event, captions.added or captions.failed. A request for captions that are being made returns them. 409 unless the video is completed, without a model of speech, and for captions that exist unless replace is set: those stay until the new ones are made. The CPU time counts as that of encodes; 402 when the quota of the owner does not allow it. The body is optional.',
    access: 'user',
    ability: 'videos:write',
    body: z.object({
      language: z
        .string()
        .transform(toLanguage)
        .meta(publishedAs({ type: 'string', minLength: 2, maxLength: 35, example: 'de' }))
        .optional(),
      replace: z.boolean().optional(),
    }),
    bodyOptional: true,
    bodyExample: { language: 'de' },
    status: 202,
    response: z.object({ data: caption }),
    errors: [
      'captions_exist',
      'concurrent_change',
      'not_found',
      'quota_exceeded',
      'transcription_unavailable',
      'video_not_completed',
    ],
  },
  remove: {
    operationId: 'deleteCaptions',
    method: 'DELETE',
    path: '/api/videos/{ulid}/captions/{language}',
    tag: 'Videos',
    summary: 'Delete captions',
    description: 'Manifests that listed them are replaced within 2 seconds.',
    access: 'user',
    ability: 'videos:write',
    params,
    query: z.object({ kind: chosenKind }),
    status: 204,
    errors: ['not_found', 'concurrent_change'],
  },
} as const satisfies Record<string, RouteDeclaration>;
