import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ConditionFailed, getItem, transact } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type Upload, uploadRecord } from '../records.ts';
import { uploadActivity } from '../writes/activity-writes.ts';
import { templateReferenceWrite } from '../writes/template-reference-writes.ts';
import { openUploadItem } from '../writes/upload-writes.ts';

type WatchedUpload = Upload & { watched: NonNullable<Upload['watched']> };

const claimRecord = z.object({ ulid: z.string() });

/**
 * Stores the upload of a watched object, or returns the one that the same content of the same key has. It does not
 * count against the limit of open uploads: there is no request that could be refused. Undefined when its template
 * does not exist any more.
 */
export async function addWatchedUpload(upload: WatchedUpload): Promise<Upload | undefined> {
  const { ulid, ownerUlid, watched } = upload;
  const claim = keys.watchedObject(digestOf(watched));
  const known = await getItem(claimRecord, claim);
  if (known) return getItem(uploadRecord, keys.upload(known.ulid));
  try {
    await transact([
      { put: { ...claim, kind: 'watched-object', ulid, key: watched.key }, when: { exists: false } },
      { update: keys.userCounts(ownerUlid), add: { openUploads: 1 } },
      templateReferenceWrite(upload.templateUlid, 1),
      { put: openUploadItem(upload) },
      uploadActivity({ ulid: ownerUlid }, upload, 'created', `Found ${upload.fileName} below the watch prefix`),
    ]);
    return upload;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const first = await getItem(claimRecord, claim);
    return first && getItem(uploadRecord, keys.upload(first.ulid));
  }
}

/** Key and ETag together: other content under the same key is another video. */
const digestOf = ({ key, etag }: { key: string; etag: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([key, etag]))
    .digest('hex');
