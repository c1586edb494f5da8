import { parseUlid } from '../common/ids.ts';
import { storageDeliveryRoutes } from '../contracts/routes/storage-delivery-routes.ts';
import { createApiHandler, recordRoute } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeStorageDelivery } from '../serializers/serialize-storage-delivery.ts';
import { requestDelivery } from '../storage-deliveries/request-delivery.ts';
import type { User } from '../table/records.ts';
import { listStorageDeliveries } from '../table/storage-deliveries/storage-delivery-table.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

/** The video, if it is visible to the user: only its owner and administrators can see it. */
async function findVisible({
  params,
  user,
}: {
  params: { ulid: string };
  user: User;
}): Promise<WholeVideo | undefined> {
  const ulid = parseUlid(params.ulid);
  const whole = ulid === undefined ? undefined : await findWholeVideo(ulid);
  return whole && (whole.video.ownerUlid === user.ulid || user.isAdmin) ? whole : undefined;
}

const list = recordRoute(storageDeliveryRoutes.list, findVisible, async ({ found }) => ({
  data: (await listStorageDeliveries(found.video)).map(serializeStorageDelivery),
}));

const create = recordRoute(storageDeliveryRoutes.create, findVisible, async ({ found, body, user }) => ({
  data: serializeStorageDelivery(await requestDelivery(found, body ?? {}, user)),
}));

export const handler = createApiHandler([list, create], { respondOnce });
