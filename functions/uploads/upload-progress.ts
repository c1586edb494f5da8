import { now } from '../../shared/clock.ts';
import { objectBytes } from '../aws/object-store.ts';
import { listParts, partPages } from '../aws/upload-store.ts';
import type { Upload } from '../table/records.ts';
import { findCompletedParts } from '../table/uploads/upload-table.ts';

/** How many bytes of an upload the store has. */
export async function bytesReceived(upload: Upload): Promise<number> {
  // The store deletes the list of parts as soon as it has joined them.
  const parts =
    (upload.store === 'multipart' && (await listParts(upload))) ||
    (upload.status === 'completing' && (await findCompletedParts(upload.ulid)));
  return parts ? parts.reduce((sum, { Size }) => sum + Size, 0) : ((await objectBytes(upload.key)) ?? 0);
}

/**
 * Whether an open upload has received nothing for this long. One whose object exists is complete, and its event is on
 * the way: not idle.
 */
export async function isIdle(upload: Upload, milliseconds: number): Promise<boolean> {
  const since = now() - milliseconds;
  if (Date.parse(upload.createdAt) > since) return false;
  if (upload.store === 'multipart') {
    for await (const parts of partPages(upload)) {
      if (parts?.some(({ LastModified }) => LastModified && LastModified.getTime() > since)) return false;
    }
  }
  return (await objectBytes(upload.key)) === undefined;
}
