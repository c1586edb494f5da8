import { takenKey, uploadFolder } from '../../shared/object-keys.ts';
import { copyAnySize } from '../aws/copy-any-size.ts';
import { copyObject, deleteObject, deleteObjects, objectHead } from '../aws/object-store.ts';
import { newUlid } from '../common/ids.ts';
import type { Upload, Video } from '../table/records.ts';
import { endCopy } from '../table/videos/source-of-video.ts';
import { findVideo } from '../table/videos/video-table.ts';

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

/**
 * Copies the source of a clip from that of another video. Repeatable. False when that one is gone, or the clip.
 */
export async function copySource(video: Video & { copiedFrom: string }): Promise<boolean> {
  const { copiedFrom, sourceKey } = video;
  const head = await objectHead(copiedFrom);
  const isCopied = head
    ? await copyAnySize({ from: copiedFrom, to: sourceKey, ...head })
    : // An earlier call may have died after the copy.
      (await objectHead(sourceKey)) !== undefined;
  if (!isCopied) return false;
  if (await endCopy(video)) return true;
  if (await findVideo(video.ulid)) return true;
  await deleteObject(sourceKey);
  return false;
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
