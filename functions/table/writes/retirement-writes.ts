import { now, timestamp } from '../../../shared/clock.ts';
import { deliveryPrefix, imageKey, uploadFolder } from '../../../shared/object-keys.ts';
import { newUlid } from '../../common/ids.ts';
import { signedUrlSeconds } from '../../common/limits.ts';
import { due } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { RetiredFiles, StorageDelivery } from '../records.ts';

const hourMilliseconds = 3_600_000;
/** A viewer who has a manifest can read its files until the signed URL expires. */
const viewerMilliseconds = signedUrlSeconds.max * 1000 + hourMilliseconds;
/** The URLs of all workers have expired by then. */
const workerMilliseconds = 7 * hourMilliseconds;
/** Longer than a video waits between its start and its plan. */
const imageMilliseconds = 14 * 24 * hourMilliseconds;

/** Has files deleted when no viewer can be reading them. */
export const retirement = ({ prefix, track }: RetiredFiles): Write =>
  retireLater(viewerMilliseconds, { prefix, ...(track !== undefined && { track }) });

/** Has a source deleted that belongs to no video any more, with all other objects of its upload. */
export const sourceRetirement = (sourceKey: string): Write => retireLater(0, { prefix: uploadFolder(sourceKey) });

/**
 * Has an image deleted when no plan needs it any more: a video that began before has a copy by then. Until then it is
 * in a list of its owner. Its other retirement is that of an image that was stored and has no record.
 */
export const imageRetirement = (imageUlid: string, ownerUlid: string): Write =>
  retireLater(imageMilliseconds, { prefix: imageKey(imageUlid), ...owned(ownerUlid, 'deleted-image', imageUlid) });

export const unrecordedImageRetirement = (imageUlid: string): Write =>
  retireLater(hourMilliseconds, { prefix: imageKey(imageUlid) }, imageUlid);

/**
 * Has the lists of a storage delivery deleted, with the files that were made for it. A call that has read the delivery
 * before its end may still write some, and die: none runs as long as this.
 */
export const deliveryRetirement = ({ ulid, videoUlid }: Pick<StorageDelivery, 'ulid' | 'videoUlid'>): Write =>
  retireLater(hourMilliseconds, { prefix: deliveryPrefix(videoUlid, ulid) }, ulid);

/** Has the source of a completed video deleted from a time on, or keeps it. */
export const sourceRetention = (videoUlid: string, dueAt: string | undefined): Write =>
  dueAt === undefined
    ? { delete: keys.sourceRetention(videoUlid) }
    : { put: { ...keys.sourceRetention(videoUlid), ...due('source', videoUlid, dueAt), kind: 'source-retention' } };

/**
 * Has the files of a video's unused attempts deleted when none of their workers can write any more. A worker without
 * contact to the service still has its URLs, and may write files after the video has ended.
 */
export const attemptsRetirement = (videoUlid: string): Write =>
  retireLater(workerMilliseconds, { attemptsOf: videoUlid });

function retireLater(delayMilliseconds: number, what: Record<string, unknown>, ulid = newUlid()): Write {
  const dueAt = timestamp(now() + delayMilliseconds);
  return { put: { ...keys.retired(ulid), ...due('retired', ulid, dueAt), kind: 'retired', ...what } };
}
