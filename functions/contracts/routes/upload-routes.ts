import * as z from 'zod';
import { shownText, timestamp, ulid } from '../fields/fields.ts';
import { pageOf, pageQuery } from '../fields/paging.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

export const upload = z
  .object({
    ulid: ulid.meta({ description: 'Of the upload, and of the video that is made of it.' }),
    replaces: ulid.nullable().meta({
      description: 'The video whose source the file is to replace; then the ULID is of the upload alone.',
    }),
    upload_id: z.string().nullable().meta({ description: 'Of a multipart upload, for its paths in /api/objstore.' }),
    kind: z.enum(['multipart', 'form', 'ingest']),
    filename: shownText(255),
    size: z.int().min(0).nullable().meta({ description: 'As declared by the client; null when not declared.' }),
    bytes_received: z.int().min(0).meta({ description: 'Of complete parts; 0 for a form until it is complete.' }),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Upload' });

const common = { tag: 'Upload', access: 'user', ability: 'uploads:write' } as const;

/** Open uploads: neither complete nor aborted. */
export const uploadRoutes = {
  list: {
    ...common,
    operationId: 'listUploads',
    method: 'GET',
    path: '/api/uploads',
    summary: "The caller's open uploads",
    description: 'Newest first. Uploads that became videos or were aborted are not listed.',
    query: pageQuery,
    status: 200,
    response: pageOf(upload),
  },
  remove: {
    ...common,
    operationId: 'deleteUpload',
    method: 'DELETE',
    path: '/api/uploads/{ulid}',
    summary: 'Abort an open upload',
    description:
      'For every kind. Received data is deleted, and a form that is sent afterwards makes no video. The token of a direct upload is revoked, also before the upload begins. Idempotent. 409 while the upload completes and afterwards: delete the video instead.',
    status: 204,
    errors: ['not_found', 'upload_complete'],
  },
} as const satisfies Record<string, RouteDeclaration>;
