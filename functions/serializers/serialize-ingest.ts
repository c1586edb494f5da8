import type * as z from 'zod';
import type { ingestRoutes } from '../contracts/routes/ingest-routes.ts';
import type { Ingest } from '../table/records.ts';

type Shown = z.input<typeof ingestRoutes.get.response>['data'];

export const serializeIngest = (ingest: Ingest, bytesReceived: number): Shown => ({
  ulid: ingest.ulid,
  url: ingest.shownUrl,
  storage: ingest.storageUlid ?? null,
  key: ingest.storageKey ?? null,
  filename: ingest.fileName,
  status: ingest.status,
  size: ingest.source?.sizeBytes ?? null,
  bytes_received: bytesReceived,
  error: ingest.error,
  external_user_id: ingest.externalUserId,
  external_resource_id: ingest.externalResourceId,
  created_at: ingest.createdAt,
  finished_at: ingest.endedAt,
});
