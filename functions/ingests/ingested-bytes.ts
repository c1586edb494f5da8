import type { Ingest } from '../table/records.ts';
import { findUpload } from '../table/uploads/upload-table.ts';
import { bytesReceived } from '../uploads/upload-progress.ts';

/** How many bytes of an ingest's file the store has. Those of a failed ingest are deleted. */
export async function ingestedBytes({ status, source, ownerUlid, ulid }: Ingest): Promise<number> {
  if (status === 'pending' || status === 'failed') return 0;
  if (status === 'stored' && source?.sizeBytes) return source.sizeBytes;
  const upload = await findUpload(ownerUlid, ulid);
  return upload && upload.status !== 'aborted' ? bytesReceived(upload) : 0;
}
