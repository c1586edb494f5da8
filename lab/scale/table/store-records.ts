import { newUlid } from '../../../functions/common/ids.ts';
import { enqueueWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { Template, User, Video } from '../../../functions/table/records.ts';
import { addUpload } from '../../../functions/table/uploads/upload-table.ts';
import { markWorking } from '../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { uploadKey } from '../../../shared/object-keys.ts';
import { storeVideo } from '../../../test/fixtures/records/store-video.ts';

/** As many records of each kind are stored by the service: copies are spread over shards as these are. */
export const prototypesOfKind = 16;

export async function storeWaitingVideo(user: User, template: Template): Promise<{ video: Video }> {
  const { video } = await storeVideo(user, { status: 'pending', template });
  await transact([markWorking(video.ulid)]);
  await enqueueWaiting(video);
  return { video };
}

/** Stores an open upload as the API does. */
export async function storeOpenUpload(user: User, template: Template, { createdAt = timestamp() } = {}): Promise<void> {
  const ulid = newUlid();
  const properties = { fileName: 'clip.mp4', contentType: 'video/mp4', externalUserId: null, externalResourceId: null };
  await addUpload(
    {
      ulid,
      ownerUlid: user.ulid,
      key: uploadKey(user.ulid, ulid, properties.fileName),
      ...properties,
      store: 'multipart',
      s3UploadId: 'x',
      status: 'open',
      templateUlid: template.ulid,
      createdAt,
    },
    null,
  );
}
