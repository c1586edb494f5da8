import { now } from '../../shared/clock.ts';
import { abortMultipart } from '../aws/abort-multipart.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { QuotaExceeded } from '../common/errors.ts';
import { log } from '../common/log.ts';
import type { Quota, Upload } from '../table/records.ts';
import {
  addUpload,
  closeUpload,
  hasAllOpenUploads,
  listOpenUploads,
  TooManyOpenUploads,
  type UploadOrigin,
} from '../table/uploads/upload-table.ts';
import { isIdle } from './upload-progress.ts';

const maxIdleMilliseconds = 3600_000;
const maxAttempts = 3;

/**
 * Each check of an upload costs one call of the store. After a check without an idle upload, the next one for that user
 * has to wait.
 */
const recheckMilliseconds = 60_000;
const lastCheckedAt = createBoundedCache<number>(1000);

/**
 * Stores a new upload. At the limit of open uploads it first closes the user's oldest idle one.
 * @throws TooManyOpenUploads when none is idle, or when the quota is exceeded too; TemplateGone, QuotaExceeded;
 * UploadExists, TokenRevoked for the upload of a token
 */
export async function addUploadWithinLimit(upload: Upload, quota: Quota | null, about?: UploadOrigin): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await addUpload(upload, quota, about);
    } catch (error) {
      if (error instanceof QuotaExceeded && (await hasAllOpenUploads(upload.ownerUlid))) throw new TooManyOpenUploads();
      // Retry, since a concurrent call may have used the freed slot.
      if (!(error instanceof TooManyOpenUploads) || attempt === maxAttempts) throw error;
      if (!(await evictIdleUpload(upload.ownerUlid))) throw error;
    }
  }
}

/** Closes the oldest of a user's open uploads that has received nothing for an hour. False when there is none. */
async function evictIdleUpload(ownerUlid: string): Promise<boolean> {
  if (now() < (lastCheckedAt.get(ownerUlid) ?? 0) + recheckMilliseconds) return false;
  for (const upload of await listOpenUploads(ownerUlid)) {
    // An ingest, and an object below the watch prefix, wait for the service and not for a client.
    if (upload.status !== 'open' || upload.origin === 'ingest' || upload.watched) continue;
    if (!(await isIdle(upload, maxIdleMilliseconds))) continue;
    if (!(await closeUpload(upload, 'displaced'))) continue;
    if (upload.store === 'multipart') {
      await abortMultipart(upload).catch((error: Error) => log.warn('could not abort the multipart upload', { error }));
    }
    return true;
  }
  lastCheckedAt.set(ownerUlid, now());
  return false;
}
