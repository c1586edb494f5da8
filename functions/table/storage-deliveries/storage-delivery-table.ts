import { timestamp } from '../../../shared/clock.ts';
import { statusesBefore, storageDeliveryTransitions } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { getItem, getItems, queryIndex, transact, write } from '../items/items.ts';
import { keys, listKey } from '../items/keys.ts';
import type { JobId } from '../job-id.ts';
import {
  type DeliverJob,
  jobRecordOf,
  type StorageDelivery,
  storageDeliveryRecord,
  type User,
  type Video,
} from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import {
  ended,
  storageDeliveriesCreated,
  storageDeliveryEnds,
  storageDeliveryEvent,
} from '../writes/storage-delivery-writes.ts';
import { storageUseBegins } from '../writes/storage-use-writes.ts';

export const findStorageDelivery = (ulid: string): Promise<StorageDelivery | undefined> =>
  getItem(storageDeliveryRecord, keys.storageDelivery(ulid));

/** The deliveries with these ULIDs that exist. */
export const findStorageDeliveries = async (ulids: readonly string[]): Promise<StorageDelivery[]> =>
  (await getItems(ulids.map(keys.storageDelivery))).map((item) => storageDeliveryRecord.parse(item));

const maxListed = 100;

/**
 * The last deliveries of a video, newest first, from an eventually consistent index. Those of a former owner are left
 * out: they are in none of the present owner's storages.
 */
export async function listStorageDeliveries({
  ulid,
  ownerUlid,
}: Pick<Video, 'ulid' | 'ownerUlid'>): Promise<StorageDelivery[]> {
  const list = listKey(ulid, 'storage-delivery');
  const found = await queryIndex('byOwner', list, { descending: true, limit: maxListed });
  const deliveries = (await getItems(found)).map((item) => storageDeliveryRecord.parse(item));
  return deliveries.filter((delivery) => delivery.ownerUlid === ownerUlid);
}

/** A job and the delivery that it is for, in one read. Each is undefined when it does not exist. */
export async function findJobWithDelivery(
  id: JobId,
): Promise<{ job: DeliverJob | undefined; delivery: StorageDelivery | undefined }> {
  const [jobKey, deliveryKey] = [keys.job(id), keys.storageDelivery(id.videoUlid)];
  const items = await getItems([jobKey, deliveryKey]);
  const job = items.find(({ pk }) => pk === jobKey.pk);
  const delivery = items.find(({ pk }) => pk === deliveryKey.pk);
  return {
    job: job && jobRecordOf('deliver').parse(job),
    delivery: delivery && storageDeliveryRecord.parse(delivery),
  };
}

/** Creates the delivery that a user asks for. */
export const addStorageDelivery = (delivery: StorageDelivery, video: Video, by: User, storageName: string) =>
  transact([
    ...storageDeliveriesCreated([delivery]),
    videoActivity(by, video, 'updated', `Had the files of ${video.name} copied to storage ${storageName}`),
  ]);

type ListedFiles = { planNumber: number; listing: string; fileCount: number; totalBytes: number };

/** Says which files are copied. False when the delivery has begun or ended, or its storage was deleted. */
export function beginStorageDelivery(delivery: StorageDelivery, files: ListedFiles): Promise<boolean> {
  const { ulid, ownerUlid, storageUlid } = delivery;
  return tryTransact([
    {
      update: keys.storageDelivery(ulid),
      set: { status: 'running', ...files, startedAt: timestamp() },
      when: { oneOf: { status: statusesBefore(storageDeliveryTransitions, 'running') } },
    },
    storageUseBegins(storageUlid, 'deliveries', [ownerUlid]),
  ]);
}

/** Stores what an attempt has copied. False when the delivery has ended, or has copied more. */
export const recordCopied = (
  ulid: string,
  attempt: number,
  { copiedFiles, copiedBytes }: { copiedFiles: number; copiedBytes: number },
): Promise<boolean> =>
  tryWrite({
    update: keys.storageDelivery(ulid),
    set: { copiedFiles, copiedBytes, progressAttempt: attempt },
    when: { equals: { status: 'running' }, below: { copiedFiles } },
  });

const multipartPath = (position: number): string => `multiparts.p${position}`;

export const multipartOf = ({ multiparts }: StorageDelivery, position: number): string | undefined =>
  multiparts[`p${position}`];

/** Stores the multipart upload of a file. False when another call has begun one, or the delivery has ended. */
export const recordMultipart = (
  { ulid }: StorageDelivery,
  position: number,
  { known, s3UploadId }: { known: string | undefined; s3UploadId: string },
): Promise<boolean> =>
  tryWrite({
    update: keys.storageDelivery(ulid),
    set: { [multipartPath(position)]: s3UploadId },
    when: {
      equals: { status: 'running', ...(known !== undefined && { [multipartPath(position)]: known }) },
      absent: known === undefined ? [multipartPath(position)] : [],
    },
  });

export const forgetMultipart = ({ ulid }: StorageDelivery, position: number): Promise<boolean> =>
  tryWrite({ update: keys.storageDelivery(ulid), remove: [multipartPath(position)], when: { exists: true } });

/** False when it has ended before. */
export const completeStorageDelivery = (delivery: StorageDelivery): Promise<boolean> =>
  tryTransact([
    {
      update: keys.storageDelivery(delivery.ulid),
      set: {
        status: 'completed',
        copiedFiles: delivery.fileCount,
        copiedBytes: delivery.totalBytes,
        ...ended(),
      },
      when: { oneOf: { status: statusesBefore(storageDeliveryTransitions, 'completed') } },
    },
    ...storageDeliveryEnds(delivery),
    storageDeliveryEvent('completed', delivery),
  ]);

/** False when it has ended, or begun, since it was read. */
export const failStorageDelivery = (delivery: StorageDelivery, error: string): Promise<boolean> =>
  tryTransact([
    {
      update: keys.storageDelivery(delivery.ulid),
      set: { status: 'failed', error, ...ended() },
      when: { equals: { status: delivery.status } },
    },
    ...storageDeliveryEnds(delivery),
    storageDeliveryEvent('failed', delivery),
  ]);

/** Ends a delivery whose video or owner was deleted: nobody is told. False when it has changed since it was read. */
export const abandonStorageDelivery = (delivery: StorageDelivery): Promise<boolean> =>
  tryTransact([
    {
      update: keys.storageDelivery(delivery.ulid),
      set: { status: 'failed', error: 'VIDEO_CHANGED: The video was deleted.', ...ended() },
      when: { equals: { status: delivery.status } },
    },
    ...storageDeliveryEnds(delivery),
  ]);

export const removeStorageDelivery = ({ ulid }: StorageDelivery): Promise<unknown> =>
  write({ delete: keys.storageDelivery(ulid) });
