import * as z from 'zod';
import { shownText, timestamp, ulid } from '../fields/fields.ts';
import { pageOf, pageQuery } from '../fields/paging.ts';
import type { RouteFact } from '../route-fact.ts';

export const upload = z
  .object({
    ulid: ulid.meta({ description: 'Of the upload, and of the video to be.' }),
    upload_id: z.string().nullable().meta({ description: 'Of a multipart upload, for its paths in /api/objstore.' }),
    kind: z.enum(['multipart', 'form', 'ingest']),
    filename: shownText(255),
    size: z.int().min(0).nullable().meta({ description: 'As declared at the beginning; null when it was not.' }),
    bytes_received: z.int().min(0).meta({ description: 'Of complete parts; of a form nothing until it is complete.' }),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Upload' });

const common = { tag: 'Upload', access: 'user' } as const;

/** Uploads that are neither stored nor given up. */
export const openUploadRoutes = {
  list: {
    ...common,
    operationId: 'listUploads',
    method: 'GET',
    path: '/api/uploads',
    summary: "The caller's open uploads",
    description: 'Newest first. Not in it are uploads that became videos or were aborted.',
    query: pageQuery,
    status: 200,
    answer: pageOf(upload),
  },
  remove: {
    ...common,
    operationId: 'deleteUpload',
    method: 'DELETE',
    path: '/api/uploads/{ulid}',
    summary: 'Abort an open upload',
    description:
      'Of every kind. What was received of it is dropped, and a form that is sent afterwards makes no video. A repeat answers the same. 409 while the upload completes and afterwards: then there is a video to delete.',
    status: 204,
    errors: [404, 409],
  },
} as const satisfies Record<string, RouteFact>;
