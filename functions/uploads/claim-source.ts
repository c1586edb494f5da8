import { takenKey, uploadFolder } from '../../shared/object-keys.ts';
import { copyAnySize } from '../aws/copy-any-size.ts';
import { copyObject, deleteObjects, objectHead } from '../aws/object-store.ts';
import { newUlid } from '../common/ids.ts';
import type { Upload } from '../table/records.ts';

/**
 * How often a form may be posted again while its object is being copied. After that the execution fails and is retried
 * later.
 */
const maxCopyAttempts = 3;

type SourceObject = { key: string; bytes: number };

/**
 * The object that becomes a video's source; undefined when there is none. The client can still overwrite the object of
 * a form upload, so that one is copied to another key first, on the condition that its ETag has not changed.
 */
export async function claimSource({ key, store, watched }: Upload): Promise<SourceObject | undefined> {
  if (watched) return claimWatched(key, watched);
  if (store === 'multipart') {
    const head = await objectHead(key);
    return head && { key, bytes: head.bytes };
  }
  const claimedKey = takenKey(key, newUlid());
  for (let attempt = 1; attempt <= maxCopyAttempts; attempt++) {
    const head = await objectHead(key);
    if (!head) return undefined;
    if (await copyObject(key, claimedKey, head.etag)) return { key: claimedKey, bytes: head.bytes };
  }
  throw new Error('the form was posted again during each attempt to copy its object');
}

/** Undefined when the object has other content by now: that content has its own event. */
async function claimWatched(key: string, watched: NonNullable<Upload['watched']>): Promise<SourceObject | undefined> {
  const claimedKey = takenKey(key, newUlid());
  const head = await objectHead(watched.key);
  if (head?.etag !== watched.etag) return undefined;
  const isCopied = await copyAnySize({ from: watched.key, to: claimedKey, ...head });
  return isCopied ? { key: claimedKey, bytes: head.bytes } : undefined;
}

/**
 * Deletes an upload's objects except sources of the video: objects of forms that were posted again, and copies that
 * other executions made.
 */
export const deleteUnclaimedObjects = ({ key }: Upload, sourceKeys: readonly string[]): Promise<number> =>
  deleteObjects(uploadFolder(key), (other) => sourceKeys.includes(other));
