import * as z from 'zod';
import { uploadLimits } from '../../common/limits.ts';
import { shownText, text, timestamp, ulid, ulidInput } from '../fields/fields.ts';
import { pageOf, pageQuery } from '../fields/paging.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { metadata } from './objstore-routes.ts';

const ingest = z
  .object({
    ulid: ulid.meta({ description: 'Of the ingest, of its upload, and of the video that is made of it.' }),
    url: z.string().meta({ description: 'Without user name, password and query.' }),
    storage: ulid.nullable().meta({ description: 'The storage that the file is fetched from.' }),
    key: z.string().nullable().meta({ description: 'The key of the object in the storage.' }),
    filename: shownText(255),
    status: z.enum(['pending', 'fetching', 'stored', 'failed']).meta({
      description: 'stored: the video exists. pending: it waits for another ingest of the user, or for a worker.',
    }),
    size: z.int().min(0).nullable().meta({ description: 'Null until the server of the URL has told it.' }),
    bytes_received: z.int().min(0).meta({ description: 'Of complete parts.' }),
    error: z.string().nullable().meta({ description: 'Of a failed ingest: a code and a sentence.' }),
    external_user_id: z.string().nullable(),
    external_resource_id: z.string().nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Ingest' });

const response = z.object({ data: ingest });
const common = { tag: 'Upload', access: 'user', ability: 'uploads:write' } as const;
const path = '/api/ingests/{ulid}';

const count = z.int().min(0);
const batch = z
  .object({
    ulid,
    storage: ulid,
    prefix: z.string(),
    limit: z.int(),
    status: z.enum(['listing', 'fetching', 'completed', 'failed', 'cancelled']).meta({
      description:
        'listing: keys are listed, and ingests created while few uploads are open. fetching: all are created, and some have not ended. completed: all have ended.',
    }),
    created: count.meta({ description: 'Ingests.' }),
    skipped: count.meta({ description: 'Folders, empty objects, and keys that no URL can name.' }),
    stored: count,
    failed: count,
    removed: count.meta({ description: 'Deleted by the user.' }),
    error: z.string().nullable(),
    created_at: timestamp,
    ended_at: timestamp.nullable().meta({ description: 'Of the listing.' }),
  })
  .meta({ id: 'IngestBatch' });
const batchResponse = z.object({ data: batch });
const batchPath = '/api/ingests/batch/{ulid}';

/** Ingests of all objects below a prefix of a storage. */
export const ingestBatchRoutes = {
  create: {
    ...common,
    operationId: 'createIngestBatch',
    repeats: 'continued',
    method: 'POST',
    path: '/api/ingests/batch',
    summary: 'Fetch all files below a prefix of a storage',
    description:
      'The keys are listed in the background, in their order, and each makes one ingest at most. Ingests are created while fewer than 50 uploads of the user are open. Folders and empty objects are skipped. The key or role of the storage needs the permission to list. At most 20 batches of a user are listed at a time.',
    body: z
      .object({
        storage: ulidInput,
        prefix: text(1024).optional().meta({
          description: 'Begins with the prefix of the storage, which is used without it.',
        }),
        metadata,
        limit: z.int().min(1).max(1_000_000).optional().meta({ description: 'At most so many ingests. Default 1000.' }),
      })
      .meta({ id: 'CreateIngestBatch' }),
    bodyExample: {
      storage: '01K9Z3P6M8N9P0Q1R2S3T4V5W7',
      prefix: 'videos/2026/',
      metadata: { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' },
      limit: 100,
    },
    status: 202,
    response: batchResponse,
    errors: ['ingest_batch_limit'],
  },
  list: {
    ...common,
    operationId: 'listIngestBatches',
    method: 'GET',
    path: '/api/ingests/batch',
    summary: "The caller's batches of ingests",
    description: 'Newest first, at most 100, of the last 30 days.',
    status: 200,
    response: z.object({ data: z.array(batch) }),
  },
  get: {
    ...common,
    operationId: 'getIngestBatch',
    method: 'GET',
    path: batchPath,
    summary: 'A batch of ingests',
    status: 200,
    response: batchResponse,
    errors: ['not_found'],
  },
  remove: {
    ...common,
    operationId: 'cancelIngestBatch',
    method: 'DELETE',
    path: batchPath,
    summary: 'Cancel a batch of ingests',
    description: 'It creates no more ingests. Those that exist go on. Nothing changes when its listing has ended.',
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;

/** Files that the service fetches from URLs and storages. */
export const ingestRoutes = {
  create: {
    ...common,
    rate: 'objstore',
    operationId: 'createIngest',
    repeats: 'continued',
    method: 'POST',
    path: '/api/ingests',
    summary: 'Fetch a file from a URL or a storage',
    description: `A worker fetches the file and stores it as an upload of the caller, which becomes a video. The URL must be http or https, at most 2048 characters, and its host and those of up to five redirects must have public addresses only. Ingests of a user run one after the other unless the stage allows more. The file may have as many bytes as an upload, ${uploadLimits.maxObjectBytes}, and no more than the quota allows. Limits and errors are those of uploads. Give \`storage\` and \`key\` instead of \`url\` for an object in a storage.`,
    body: z
      .object({
        url: text(2048).nullish().meta({
          description: 'http or https; a user name and a password are sent to this server only.',
        }),
        storage: ulidInput.nullish().meta({ description: 'Instead of a URL: a storage of the caller.' }),
        key: text(1024).nullish().meta({
          description: 'The key of the object in the bucket of the storage, with the prefix of the storage.',
        }),
        filename: text(255).nullish().meta({
          description: 'Without it, the last part of the path of the URL, or of the key.',
        }),
        metadata,
      })
      .meta({ id: 'CreateIngest' }),
    bodyExample: {
      url: 'https://media.example.com/films/holiday.mov',
      metadata: { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', externalUserId: 'crm-1001' },
    },
    status: 202,
    response,
    errors: ['quota_exceeded', 'source_deleted', 'video_in_progress'],
  },
  list: {
    ...common,
    operationId: 'listIngests',
    method: 'GET',
    path: '/api/ingests',
    summary: "The caller's ingests",
    description: 'Newest first. Ingests that have ended are listed for 30 days.',
    query: pageQuery,
    status: 200,
    response: pageOf(ingest),
  },
  get: {
    ...common,
    operationId: 'getIngest',
    method: 'GET',
    path,
    summary: 'An ingest',
    status: 200,
    response,
    errors: ['not_found'],
  },
  remove: {
    ...common,
    operationId: 'deleteIngest',
    method: 'DELETE',
    path,
    summary: 'Cancel an ingest, or remove one that has ended from the list',
    description:
      'The worker stops and what it has stored is deleted. The video of a stored ingest stays. 409 while the stored parts are joined.',
    status: 204,
    errors: ['not_found', 'upload_complete'],
  },
} as const satisfies Record<string, RouteDeclaration>;
