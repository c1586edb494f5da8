import type * as z from 'zod';
import type { storageDeliveryRoutes } from '../contracts/routes/storage-delivery-routes.ts';
import type { StorageDelivery } from '../table/records.ts';

type Shown = z.input<typeof storageDeliveryRoutes.create.response>['data'];

export const serializeStorageDelivery = (delivery: StorageDelivery): Shown => ({
  ulid: delivery.ulid,
  video_ulid: delivery.videoUlid,
  storage: delivery.storageUlid,
  path: delivery.target.path,
  outputs: delivery.target.outputs,
  also: delivery.target.also,
  status: delivery.status,
  files: delivery.fileCount,
  files_copied: delivery.copiedFiles,
  bytes: delivery.totalBytes,
  bytes_copied: delivery.copiedBytes,
  error: delivery.error,
  created_at: delivery.createdAt,
  started_at: delivery.startedAt,
  finished_at: delivery.endedAt,
});
