import { nowSeconds, timestamp } from '../../../shared/clock.ts';
import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { deliverJobId } from '../job-id.ts';
import type { StorageDelivery } from '../records.ts';
import { eventWrite } from './event-writes.ts';
import { deliveryRetirement } from './retirement-writes.ts';
import { storageUseEnds } from './storage-use-writes.ts';

/** How long a storage delivery is listed after its end. */
const endedDeliveryDays = 90;

/** New deliveries of a user. The user is listed, so that the schedule finds those that nothing else continues. */
export function storageDeliveriesCreated(deliveries: readonly StorageDelivery[]): Write[] {
  const [first] = deliveries;
  if (!first) return [];
  const { ownerUlid: userUlid } = first;
  return [
    ...deliveries.flatMap((delivery): Write[] => {
      const { ulid, videoUlid } = delivery;
      const listed = owned(videoUlid, 'storage-delivery', ulid);
      return [
        { put: { ...keys.storageDelivery(ulid), ...listed, kind: 'storage-delivery', ...delivery } },
        { put: { ...keys.openStorageDelivery(userUlid, ulid), kind: 'open-storage-delivery', ulid } },
      ];
    }),
    {
      update: keys.delivering(userUlid),
      set: { kind: 'delivering', userUlid, addedAt: timestamp(), ...owned('all', 'delivering', userUlid) },
    },
  ];
}

/**
 * What ends with a delivery, whatever its end is. Its storage is used from when it runs. It remains among the open ones
 * of its user until what it leaves behind is removed.
 */
export const storageDeliveryEnds = (delivery: StorageDelivery): Write[] => [
  { delete: keys.job(deliverJobId(delivery.ulid)) },
  ...(delivery.status === 'running' ? [storageUseEnds(delivery.storageUlid, 'deliveries')] : []),
  deliveryRetirement(delivery),
];

export const ended = () => ({ endedAt: timestamp(), expiresAt: nowSeconds() + endedDeliveryDays * 24 * 3600 });

export const storageDeliveryEvent = (
  outcome: 'completed' | 'failed',
  { ulid, videoUlid, ownerUlid, externalUserId }: StorageDelivery,
): Write =>
  eventWrite({
    type: `delivery.${outcome}`,
    ownerUlid,
    externalUserId,
    subject: { kind: 'delivery', videoUlid, ulid },
  });
