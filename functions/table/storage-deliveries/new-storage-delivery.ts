import { timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import type { StorageDelivery, Video } from '../records.ts';

/** What is copied, and to which storage. */
export type DeliveryTarget = StorageDelivery['target'] & { storageUlid: string };

type VideoToDeliver = Pick<Video, 'ulid' | 'ownerUlid' | 'externalUserId'>;

export function newStorageDelivery(
  { ulid: videoUlid, ownerUlid, externalUserId }: VideoToDeliver,
  { storageUlid, ...target }: DeliveryTarget,
  ulid = newUlid(),
): StorageDelivery {
  return {
    ulid,
    videoUlid,
    ownerUlid,
    storageUlid,
    externalUserId,
    target,
    status: 'pending',
    planNumber: null,
    listing: null,
    fileCount: null,
    totalBytes: null,
    copiedFiles: 0,
    copiedBytes: 0,
    progressAttempt: 0,
    multiparts: {},
    error: null,
    createdAt: chosen('time', timestamp),
    startedAt: null,
    endedAt: null,
  };
}
