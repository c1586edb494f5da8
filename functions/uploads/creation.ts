import { timestamp } from '../../shared/clock.ts';
import { newUlid } from '../common/ids.ts';
import { videoActivity } from '../table/accounts/activity-table.ts';
import { usageWrites } from '../table/accounts/usage-table.ts';
import { takeIds, type Write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { partIdItem } from '../table/items/record-ids.ts';
import type { Stream, Template, Upload } from '../table/records.ts';
import { listedVideo, workingMark } from '../table/videos/video-lifecycle.ts';
import { outputsItem, streamsItem } from '../table/videos/video-table.ts';

/** The largest object that the service takes: 5 TiB. */
export const maxSourceBytes = 5 * 2 ** 40;

type Creation = {
  upload: Upload;
  source: { key: string; bytes: number };
  template: Template | undefined;
  executionArn: string;
  atMilliseconds: number;
};

/** Everything that comes into being with a video, as one transaction. Its first write fails when the video is there. */
export async function newVideoWrites({
  upload,
  source,
  template,
  executionArn,
  atMilliseconds,
}: Creation): Promise<Write[]> {
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
      // A video that was deleted must not come back with a late event.
      when: { oneOf: { status: ['open', 'completing', 'stored'] }, absent: ['videoMade'] },
    },
    workingMark(ulid),
    // An owner who is deleted in this moment must not be left with a video.
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
