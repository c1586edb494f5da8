import * as z from 'zod';
import { signedUrlSeconds, uploadLimits } from '../../common/limits.ts';
import { newMetadata, newTags } from '../fields/description-fields.ts';
import { publishedAs, text, timestamp, ulid, ulidInput } from '../fields/fields.ts';
import { newSourceOptions } from '../fields/source-options.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { external } from './objstore-routes.ts';

const invalidOrigin = 'The allowed origin field must be an origin, such as https://www.example.com.';

/** As browsers send it: in lower case, without a default port and without a slash at the end. */
const origin = text(255)
  .transform((value, context) => {
    const url = URL.parse(value);
    // A URL may have any of these characters in its host, an address of a page may not: `*` is no wildcard here.
    const isOrigin = url !== null && /^https?:\/\/[a-z0-9.:[\]-]+\/$/.test(url.href) && url.href === `${url.origin}/`;
    if (!isOrigin) context.addIssue({ code: 'custom', message: invalidOrigin });
    return url?.origin ?? '';
  })
  .nullish()
  .meta({
    ...publishedAs({ type: ['string', 'null'], minLength: 1, maxLength: 255 }),
    description:
      'Browsers may use the token on pages of this origin only, and the answers have the CORS headers for it. Without it, browsers may use the token on the origins of the setting allowedOrigins.',
  });

const directUpload = z.object({
  ulid: ulid.meta({ description: 'Of the upload that the token can make, and of its video.' }),
  upload_token: z
    .string()
    .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}_[A-Za-z0-9]{40}$/)
    .meta({ description: 'Shown once.' }),
  expires_at: timestamp,
});

/** Uploads by clients without an account. */
export const directUploadRoutes = {
  create: {
    tag: 'Upload',
    access: 'user',
    ability: 'uploads:write',
    rate: 'objstore',
    operationId: 'createDirectUpload',
    repeats: 'continued',
    showsSecret: true,
    method: 'POST',
    path: '/api/direct-uploads',
    summary: 'Create a token for one upload',
    description:
      'The token is a bearer token for the operations of /api/objstore, for one upload that becomes a video of the caller. The template, the external IDs, the metadata, the tags, the clip, the picture, the tracks and, if it is given here, the file name are those of this request, whatever the upload request contains. A repeated create continues the upload of the token; after completion it answers 409. Clients that cannot send headers use the path /api/direct-uploads/{upload_token}/s3 instead of /api/objstore. DELETE /api/uploads/{ulid} revokes the token.',
    body: z
      .object({
        template: ulidInput.meta({ description: 'ULID of a template of the caller, or of a shared one.' }),
        filename: text(255).nullish().meta({ description: 'Without it, the upload request chooses the name.' }),
        max_bytes: z.int().min(1).max(uploadLimits.maxObjectBytes).nullish(),
        allowed_origin: origin,
        externalUserId: external,
        externalResourceId: external,
        metadata: newMetadata,
        tags: newTags,
        ...newSourceOptions,
        expires_in: z
          .int()
          .min(signedUrlSeconds.min)
          .max(signedUrlSeconds.max)
          .nullish()
          .meta({ description: `Seconds; ${signedUrlSeconds.default} by default.` }),
      })
      .meta({ id: 'CreateDirectUpload' }),
    bodyExample: {
      template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
      max_bytes: 2_000_000_000,
      allowed_origin: 'https://www.example.com',
      externalUserId: 'crm-1001',
      expires_in: 3600,
    },
    status: 201,
    response: z.object({ data: directUpload }),
    responseHeaders: { 'Cache-Control': 'no-store' },
    errors: ['quota_exceeded'],
  },
} as const satisfies Record<string, RouteDeclaration>;
