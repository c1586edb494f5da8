import type * as z from 'zod';
import { timestamp } from '../../shared/clock.ts';
import type { upload as uploadSchema } from '../contracts/routes/upload-routes.ts';
import type { Upload } from '../table/records.ts';
import { endOf } from '../table/uploads/upload-end.ts';

export const serializeUpload = (upload: Upload, bytesReceived: number): z.input<typeof uploadSchema> => ({
  ulid: upload.ulid,
  replaces: upload.replaces ?? null,
  upload_id: kindOf(upload) === 'multipart' ? upload.ulid : null,
  kind: kindOf(upload),
  filename: upload.fileName,
  size: upload.sizeBytes ?? null,
  bytes_received: bytesReceived,
  created_at: upload.createdAt,
  expires_at: timestamp(endOf(upload)),
});

function kindOf({ origin, watched, store }: Upload): 'multipart' | 'form' | 'ingest' {
  if (origin === 'ingest' || watched) return 'ingest';
  return store === 'multipart' ? 'multipart' : 'form';
}
