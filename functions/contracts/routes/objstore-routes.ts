import * as z from 'zod';
import { uploadLimits } from '../../common/limits.ts';
import { newMetadata, newTags } from '../fields/description-fields.ts';
import { integerBetween, publishedAs, queryInteger, text, ulid, ulidInput } from '../fields/fields.ts';
import { newSourceOptions } from '../fields/source-options.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

/** Uppy sends raw values, so numbers are converted to texts. */
export const external = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === undefined || value === null ? null : String(value)))
  .pipe(text(255).nullable())
  .meta(publishedAs({ type: ['string', 'number', 'null'], maxLength: 255 }));

const contentType = text(255).nullish();

const metadataFields = z.object({
  template: ulidInput.optional().meta({
    description: 'ULID of a template of the caller, or of a shared one. Required without replaces.',
    examples: ['01K9Z3P6M8N9P0Q1R2S3T4V5W6'],
  }),
  replaces: ulidInput.optional().meta({
    description:
      'ULID of a video of the caller, of which the file becomes the source. It keeps its ULID, name, template, external IDs and uploaded captions, and plays as it is until the new outputs are complete. Fails with video.replace_failed where the file cannot be used, and leaves the video as it is. 409 while the video is being processed, and when its source is deleted.',
  }),
  externalUserId: external,
  externalResourceId: external,
  metadata: newMetadata,
  tags: newTags,
  ...newSourceOptions,
});

/** Without a video whose source is replaced, a template says what is made. */
const needsTemplate = ({ value, issues }: { value: { template?: string; replaces?: string }; issues: unknown[] }) => {
  if (value.template !== undefined || value.replaces !== undefined) return;
  issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['template'] });
};

export const metadata = metadataFields
  .check(needsTemplate as never)
  .meta({ id: 'UploadMetadata', description: 'Other fields, such as those that Uppy adds, are dropped.' });

const multipartMetadata = metadataFields
  .extend({
    size: z
      .int()
      .min(1)
      .max(uploadLimits.maxObjectBytes)
      .optional()
      .catch(undefined)
      .meta(
        publishedAs({
          ...integerBetween(1, uploadLimits.maxObjectBytes),
          description: 'As size beside it, for clients that send no fields there, such as Uppy 6.',
        }),
      ),
  })
  .check(needsTemplate as never)
  .meta({ id: 'MultipartMetadata', description: 'Other fields, such as those that Uppy adds, are dropped.' });

/** Uppy 6 sends absent query values as `null` or `undefined`. */
const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === 'null' || value === 'undefined' ? undefined : value), schema);

const part = z
  .object({ PartNumber: z.int().min(1).max(uploadLimits.maxParts), Size: z.int().min(0), ETag: z.string() })
  .meta({ id: 'Part', description: 'ETag as the store gives it, double quotes included.' });

const sentPart = z.object({ PartNumber: z.int().min(1).max(uploadLimits.maxParts), ETag: z.string().min(1).max(256) });

const parts = z
  .array(sentPart)
  .min(1)
  .max(uploadLimits.maxParts)
  .refine((list) => new Set(list.map(({ PartNumber }) => PartNumber)).size === list.length, {
    error: 'The parts field names a part twice.',
  });

const key = z.object({
  key: text(1024).optional().meta({
    description: 'Sent by all versions of Uppy. A key that does not belong to the upload answers 404.',
  }),
});

const completed = z
  .object({ location: z.string().meta({ format: 'uri' }), key: z.string(), bucket: z.string(), ulid })
  .meta({ id: 'Completed' });

const expiresSeconds = z.int().min(1).max(86_400).meta({ description: 'Seconds.' });

/** Presigned URLs and forms authorize everyone who has them. */
const unkept = { cacheControl: 'no-store', responseHeaders: { 'Cache-Control': 'no-store' } } as const;

const common = {
  tag: 'Upload',
  access: 'user',
  ability: 'uploads:write',
  acceptsUploadToken: true,
  rate: 'objstore',
  status: 200,
} as const;

/** The upload protocol of Uppy's Companion, with its statuses: 200 on create, a bare list of parts, `{}` on abort. */
export const objstoreRoutes = {
  params: {
    ...common,
    operationId: 'uploadParams',
    method: 'GET',
    path: '/api/objstore/params',
    changesState: true,
    summary: 'Parameters of a single-request upload',
    description:
      'An S3 POST policy for one object up to 5 GiB, which makes a video like a multipart upload does, once: objects sent with the form after that are deleted. Each call opens a new upload, limited to 100 open uploads like multipart uploads. A cross-site call with the session cookie therefore answers 419 like a POST. The texts null and undefined count as absent. With a quota, the form takes at most what is left of it, and a file that exceeds it when it arrives becomes a failed video with QUOTA_EXCEEDED. With an upload token, metadata is not needed, the form is valid no longer than the token, and a repeated call signs another form for the same upload.',
    query: z.object({
      filename: text(255).meta({ examples: ['clip.mp4'] }),
      type: orAbsent(contentType).meta({ examples: ['video/mp4'] }),
      size: orAbsent(queryInteger(1, uploadLimits.maxPostBytes).optional()).meta(
        publishedAs({
          ...integerBetween(1, uploadLimits.maxPostBytes),
          description:
            'Bytes of the file. The form then takes no larger one, and the quota is held for this size only.',
        }),
      ),
      metadata: z
        .object({
          template: orAbsent(metadataFields.shape.template),
          replaces: orAbsent(metadataFields.shape.replaces),
          externalUserId: orAbsent(external),
          externalResourceId: orAbsent(external),
          metadata: orAbsent(newMetadata),
          tags: orAbsent(newTags),
          clip: orAbsent(newSourceOptions.clip),
          picture: orAbsent(newSourceOptions.picture),
          tracks: orAbsent(newSourceOptions.tracks),
        })
        .check(needsTemplate as never)
        .prefault({} as never),
    }),
    response: z
      .object({
        method: z.literal('POST'),
        url: z.string().meta({ format: 'uri' }),
        fields: z.record(z.string(), z.string()),
        expires: expiresSeconds,
      })
      .meta({ id: 'UploadParams' }),
    ...unkept,
    errors: [
      'file_too_large',
      'quota_exceeded',
      'source_deleted',
      'upload_complete',
      'upload_other_way',
      'video_in_progress',
    ],
  },
  create: {
    ...common,
    operationId: 'createMultipart',
    repeats: 'continued',
    method: 'POST',
    path: '/api/objstore/multipart',
    summary: 'Create a multipart upload',
    description:
      'An unknown or foreign template answers 422 on metadata.template. At most 100 uploads may be open: a new one replaces the oldest that has received nothing for an hour, and answers 422 when there is none. The declared size is held of the quota until the upload is stored or closed. With an upload token, metadata is not needed, and a repeated call continues the same upload: 409 after its completion.',
    body: z
      .object({
        filename: text(255),
        metadata: multipartMetadata.prefault({} as never),
        type: contentType,
        size: z
          .int()
          .min(1)
          .meta({ override: { maximum: uploadLimits.maxObjectBytes } })
          .nullish()
          .meta({
            description:
              'Bytes of the file, which the quota counts until the upload is completed. Needed by users with a quota of uploaded bytes and by upload tokens with max_bytes. Over 5 TiB answers 413.',
          }),
      })
      .meta({
        id: 'CreateMultipart',
        // Without metadata the error is on metadata.template, the field that is needed without an upload token.
        override: { required: ['filename'] },
      }),
    bodyExample: {
      filename: 'holiday.mp4',
      type: 'video/mp4',
      metadata: {
        name: 'holiday.mp4',
        type: 'video/mp4',
        template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
        externalUserId: 'crm-1001',
      },
    },
    response: z
      .object({
        key: z.string(),
        uploadId: z.string(),
        bucket: z.string(),
        ulid: ulid.meta({
          description: 'Of the future video; it answers 404 until the event of the store was handled.',
        }),
        suggestedPartSize: z.int().min(uploadLimits.minPartBytes),
      })
      .meta({ id: 'MultipartCreated' }),
    errors: [
      'file_too_large',
      'quota_exceeded',
      'source_deleted',
      'upload_complete',
      'upload_other_way',
      'video_in_progress',
    ],
  },
  listParts: {
    ...common,
    operationId: 'listParts',
    method: 'GET',
    path: '/api/objstore/multipart/{uploadId}',
    summary: 'List uploaded parts',
    description:
      'All parts, ascending. During completion and for 24 h after it, the parts of the completion: Uppy 6 lists parts before it repeats a completion that got no response.',
    lookupQuery: key,
    response: z.array(part),
    errors: ['not_found'],
  },
  signPart: {
    ...common,
    operationId: 'signPart',
    method: 'GET',
    path: '/api/objstore/multipart/{uploadId}/{partNumber}',
    summary: 'Sign one part',
    params: z.object({ uploadId: z.string(), partNumber: queryInteger(1, uploadLimits.maxParts) }),
    query: key.extend({
      size: queryInteger(1, uploadLimits.maxPostBytes)
        .optional()
        .meta(
          publishedAs({
            ...integerBetween(1, uploadLimits.maxPostBytes),
            description:
              'Bytes of this part. The URL then takes a part of this length only. All parts but the last have the same size.',
          }),
        ),
    }),
    description:
      'Where the upload is limited, by max_bytes of its token or a quota of uploaded bytes, the URL takes a part of one length only, also without size: parts then have the suggestedPartSize unless the first signed ones have another. 422 when no such part belongs to a file of the declared size.',
    response: z
      .object({
        url: z.string().meta({ format: 'uri' }),
        method: z.literal('PUT'),
        expires: expiresSeconds,
        headers: z.record(z.string(), z.string()),
      })
      .meta({ id: 'SignedPart' }),
    ...unkept,
    errors: ['concurrent_change', 'not_found', 'upload_complete', 'upload_size_unknown'],
  },
  complete: {
    ...common,
    operationId: 'completeMultipart',
    method: 'POST',
    path: '/api/objstore/multipart/{uploadId}/complete',
    summary: 'Complete the upload',
    description:
      'Body up to 4 MiB. A repeat after success answers the same. When the store takes longer than 25 s, the answer is 200 and completion continues. Unknown or too small parts answer 422 on parts, an object over 5 TiB or over max_bytes of its upload token 413, and parts that exceed the quota together 402: the upload stays open.',
    bodyLimitBytes: 4 * 2 ** 20,
    query: key,
    body: z.object({ parts }).meta({ id: 'CompleteMultipart' }),
    bodyExample: { parts: [{ PartNumber: 1, ETag: '"6ef9d5a578820bcd1eab7e444bc61a34"' }] },
    response: completed,
    errors: ['file_too_large', 'not_found', 'quota_exceeded', 'source_deleted', 'video_deleted', 'video_in_progress'],
  },
  abort: {
    ...common,
    operationId: 'abortMultipart',
    method: 'DELETE',
    path: '/api/objstore/multipart/{uploadId}',
    summary: 'Abort the upload',
    description:
      '200 with {}: Uppy 4 and 5 parse the body. A second abort also answers 200; after completion 409. An upload token stays valid after its own abort, so the upload can begin again; an abort by the owner revokes it.',
    lookupQuery: key,
    response: z.object({}),
    errors: ['not_found', 'upload_complete'],
  },
} as const satisfies Record<string, RouteDeclaration>;
