import { timestamp } from '../../shared/clock.ts';
import { takenKey, uploadFolder } from '../../shared/object-keys.ts';
import { copyObject, deleteObjects, objectHead } from '../aws/object-store.ts';
import { newUlid } from '../common/ids.ts';
import { videoActivity } from '../table/accounts/activity-table.ts';
import { usageWrites } from '../table/accounts/usage-table.ts';
import { takeIds, type Write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { partIdItem } from '../table/items/record-ids.ts';
import type { Stream, Template, Upload } from '../table/records.ts';
import { listedVideo, workingMark } from '../table/videos/video-lifecycle.ts';
import { outputsItem, streamsItem } from '../table/videos/video-table.ts';

// What a complete upload becomes: the source of a video, and the video's records.

/**
 * How often a form may be posted again while its object is being copied. After that the execution fails and is retried
 * later.
 */
const maxCopyAttempts = 3;

type SourceObject = { key: string; bytes: number };

/**
 * The object that becomes a video's source; undefined when there is none. The client can still overwrite the object of
 * a form upload, so that one is copied to a key of its own first, on the condition that its ETag has not changed.
 */
export async function claimSource({ key, store }: Upload): Promise<SourceObject | undefined> {
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
 * Deletes an upload's objects except the video's source: objects of forms that were posted again, and copies that other
 * executions made.
 */
export const deleteUnclaimedObjects = ({ key }: Upload, sourceKey: string | undefined): Promise<number> =>
  deleteObjects(uploadFolder(key), (other) => other === sourceKey);

type NewVideo = {
  upload: Upload;
  source: SourceObject;
  template: Template | undefined;
  executionArn: string;
  atMilliseconds: number;
};

/**
 * The writes that create a video with its stream, its counts and its activity, as one transaction. The first one fails
 * if the video exists.
 */
export async function newVideoWrites({
  upload,
  source,
  template,
  executionArn,
  atMilliseconds,
}: NewVideo): Promise<Write[]> {
  const [id, streamId] = await Promise.all([takeIds(keys.counter('video')), takeIds(keys.counter('stream'))]);
  const { ulid, ownerUlid, externalUserId, externalResourceId } = upload;
  const { bytes } = source;
  const createdAt = timestamp(atMilliseconds);
  const original = originalStream(streamId, bytes, createdAt);
  return [
    {
      put: {
        ...keys.video(ulid),
        ...listedVideo(ownerUlid, { ulid, createdAt }),
        kind: 'video',
        ulid,
        id,
        ownerUlid,
        name: upload.fileName,
        status: 'pending',
        durationSeconds: null,
        aspectRatio: null,
        thumbnailPath: null,
        storyboardPath: null,
        templateUlid: upload.templateUlid,
        templateId: template?.id ?? 0,
        query: null,
        sourceKey: source.key,
        sourceBytes: bytes,
        externalUserId,
        externalResourceId,
        planNumber: 1,
        lastPlanNumber: 1,
        executionCount: 1,
        executionArn,
        startedAt: null,
        createdAt,
      },
      when: { exists: false },
    },
    {
      update: keys.upload(ulid),
      set: { status: 'stored', videoMade: true },
      remove: ['ownerKey', 'ownerSort'],
      // A late event must not create a deleted video again.
      when: { oneOf: { status: ['open', 'completing', 'stored'] }, absent: ['videoMade'] },
    },
    workingMark(ulid),
    // A user who is being deleted must not get a new video.
    { check: keys.user(ownerUlid), when: { exists: true, absent: ['deletedAt'] } },
    { put: streamsItem(ulid, 1, [original]) },
    { put: outputsItem(ulid, 1, []) },
    { put: { ...keys.id('video', id), kind: 'id', ulid } },
    ...[streamId, original.ulid].map((name) => ({ put: partIdItem('stream', name, original.ulid, ulid) })),
    { update: keys.userCounts(ownerUlid), set: { kind: 'counts' }, add: { videos: 1, openUploads: -1 } },
    ...usageWrites({ userUlid: ownerUlid, metric: 'upload_bytes', externalUserId, amount: bytes, atMilliseconds }),
    videoActivity({ ulid: ownerUlid }, { id, ulid }, 'uploaded', `Uploaded ${upload.fileName}`, { size: bytes }),
  ];
}

const originalStream = (id: number, bytes: number, createdAt: string): Stream => ({
  ulid: newUlid(),
  id,
  planNumber: 1,
  track: '',
  name: 'Original',
  type: 'original',
  width: null,
  height: null,
  bytes,
  language: null,
  channels: null,
  meta: {},
  inputParams: {},
  errorLog: null,
  status: 'pending',
  createdAt,
});
