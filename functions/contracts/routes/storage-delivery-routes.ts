import * as z from 'zod';
import { deliveredExtras } from '../../common/delivered-extras.ts';
import { deliveryFields } from '../../templates/query-structure.ts';
import { timestamp, ulid } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { storageDeliveryStatuses } from '../statuses.ts';

const delivery = z
  .object({
    ulid,
    video_ulid: ulid,
    storage: ulid.meta({ description: 'ULID of the storage.' }),
    path: z.string().meta({ description: 'Below the prefix of the storage, as it was asked for.' }),
    outputs: z.union([z.literal('*'), z.array(z.string())]),
    also: z.array(z.enum(deliveredExtras)),
    status: z.enum(storageDeliveryStatuses).meta({
      description: 'pending: it waits for other deliveries of the user. completed: the storage has all files.',
    }),
    files: z.int().min(0).nullable().meta({ description: 'Null until they are listed.' }),
    files_copied: z.int().min(0),
    bytes: z.int().min(0).nullable(),
    bytes_copied: z.int().min(0),
    error: z.string().nullable().meta({ description: 'Of a failed delivery: a code and a sentence.' }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'StorageDelivery' });

const { path, outputs, also } = deliveryFields;

/** Copies of the files of a video to storages of its owner. */
export const storageDeliveryRoutes = {
  list: {
    operationId: 'listStorageDeliveries',
    method: 'GET',
    path: '/api/videos/{ulid}/deliveries',
    tag: 'Videos',
    summary: 'Deliveries of a video to storages',
    description: 'Newest first, at most 100. Those that have ended are listed for 90 days.',
    access: 'user',
    ability: 'videos:read',
    status: 200,
    response: z.object({ data: z.array(delivery) }),
    errors: ['not_found'],
  },
  create: {
    operationId: 'createStorageDelivery',
    repeats: 'continued',
    method: 'POST',
    path: '/api/videos/{ulid}/deliveries',
    tag: 'Videos',
    summary: 'Copy the files of a video to a storage',
    description:
      'For a completed video. Without `storage`, the last delivery of the video is repeated, with the given fields changed. Files that the storage has are replaced; none are deleted. A worker copies the files: media first, manifests last. The copy plays by itself.',
    access: 'user',
    ability: 'videos:write',
    body: z
      .object({
        storage: ulid.optional().meta({ description: 'A storage of the owner of the video.' }),
        path: path.unwrap().optional(),
        outputs: outputs.unwrap().optional(),
        also: also.unwrap().optional(),
      })
      .meta({ id: 'CreateStorageDelivery' }),
    bodyOptional: true,
    bodyExample: { storage: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', path: 'films/{ulid}/{output}/', also: ['poster'] },
    status: 202,
    response: z.object({ data: delivery }),
    errors: ['not_found', 'video_not_completed', 'delivery_in_progress'],
  },
} as const satisfies Record<string, RouteDeclaration>;
