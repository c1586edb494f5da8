import { now } from '../../shared/clock.ts';
import { objectBytes } from '../aws/object-store.ts';
import { listParts, partPages } from '../aws/upload-store.ts';
import type { Upload } from '../table/records.ts';
import { findCompletedParts } from '../table/videos/upload-table.ts';

/** How many bytes the store has of an upload. */
export async function bytesReceived(upload: Upload): Promise<number> {
  // The store forgets the parts as soon as it has joined them.
  const parts =
    (upload.store === 'multipart' && (await listParts(upload))) ||
    (upload.status === 'completing' && (await findCompletedParts(upload.ulid)));
  return parts ? parts.reduce((sum, { Size }) => sum + Size, 0) : ((await objectBytes(upload.key)) ?? 0);
}

/** Whether nothing has come of an open upload for so long. An object of it means that all has come, and its event is on the way. */
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
