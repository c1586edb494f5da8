import { startStorageDeliveries } from '../aws/background-functions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import type { StorageDelivery, User } from '../table/records.ts';
import { type DeliveryTarget, newStorageDelivery } from '../table/storage-deliveries/new-storage-delivery.ts';
import { addStorageDelivery, listStorageDeliveries } from '../table/storage-deliveries/storage-delivery-table.ts';
import { findStorage } from '../table/storages/storage-table.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { deliveryIssues } from '../templates/query-rules.ts';

/** Of one video. Others would wait for these. */
const maxOpen = 10;

type Asked = { storage?: string | undefined } & {
  [Field in keyof StorageDelivery['target']]?: StorageDelivery['target'][Field] | undefined;
};

/**
 * Begins the delivery that a user asks for.
 * @throws Conflict, ValidationFailed
 */
export async function requestDelivery(
  { video, outputs }: WholeVideo,
  asked: Asked,
  by: User,
): Promise<StorageDelivery> {
  if (video.status !== 'completed') {
    throw new Conflict('video_not_completed', 'The video is not completed. Its files can be delivered when it is.');
  }
  const earlier = await listStorageDeliveries(video);
  const target = targetOf(asked, earlier[0]);
  const storage = await findStorage(video.ownerUlid, target.storageUlid);
  if (!storage) throw unknownStorage();
  const [issue] = deliveryIssues(target);
  if (issue) throw new ValidationFailed({ outputs: [issue.message] });
  const missing = target.outputs === '*' ? [] : target.outputs.filter((name) => !isCompleted(outputs, name));
  if (missing.length > 0) {
    throw new ValidationFailed({ outputs: missing.map((name) => `The video has no completed output "${name}".`) });
  }
  if (target.also.includes('original') && video.sourceDeletedAt !== undefined) {
    throw new ValidationFailed({ also: ['Leave "original" out: the uploaded file of the video is deleted.'] });
  }
  const delivery = newStorageDelivery(video, target);
  requireNotRunning(delivery, earlier);
  await addStorageDelivery(delivery, video, by, storage.name);
  await startStorageDeliveries({ userUlid: video.ownerUlid });
  return delivery;
}

const unknownStorage = (): ValidationFailed =>
  new ValidationFailed({ storage: [{ code: 'unknown', message: 'The owner of the video has no such storage.' }] });

const isCompleted = (outputs: WholeVideo['outputs'], name: string): boolean =>
  outputs.some((output) => output.name === name && output.status === 'completed');

function targetOf({ storage, path, outputs, also }: Asked, last: StorageDelivery | undefined): DeliveryTarget {
  if (storage === undefined && !last) {
    throw new ValidationFailed({ storage: ['The storage field is required: the video was not delivered before.'] });
  }
  const storageUlid = storage === undefined ? last!.storageUlid : parseUlid(storage);
  if (storageUlid === undefined) throw unknownStorage();
  const known = storage === undefined ? last?.target : undefined;
  return {
    storageUlid,
    path: path ?? known?.path ?? '{ulid}/{output}/',
    outputs: outputs ?? known?.outputs ?? '*',
    also: also ?? known?.also ?? [],
  };
}

/** Two copies at a time to one path would mix their files. A repeated request finds its own delivery. */
function requireNotRunning(delivery: StorageDelivery, earlier: readonly StorageDelivery[]): void {
  const open = earlier.filter(({ endedAt, ulid }) => endedAt === null && ulid !== delivery.ulid);
  const isSame = ({ storageUlid, target }: StorageDelivery): boolean =>
    storageUlid === delivery.storageUlid && target.path === delivery.target.path;
  if (open.some(isSame)) {
    const message = 'The files of the video are being copied to this path of the storage.';
    throw new Conflict('delivery_in_progress', message);
  }
  if (open.length >= maxOpen) {
    throw new Conflict('delivery_in_progress', `${maxOpen} deliveries of the video have not ended yet.`);
  }
}
