import { timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { tryTransact } from '../items/conditional.ts';
import { idItem, partIdItem } from '../items/id-items.ts';
import { takeIds } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Stream, Template, Upload, Video } from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { eventWrite, videoEvent } from '../writes/event-writes.ts';
import { ingestStored } from '../writes/ingest-writes.ts';
import { uploadRelease } from '../writes/reservation-writes.ts';
import { templateReaderWrite } from '../writes/template-reference-writes.ts';
import { openUploadFields } from '../writes/upload-writes.ts';
import { usageWrites } from '../writes/usage-writes.ts';
import { listingChanges, tagCounts } from '../writes/video-listing-writes.ts';
import { markWorking, outputsItem, streamsItem, videoItem } from '../writes/video-writes.ts';

type NewVideo = {
  upload: Upload;
  source: { key: string; bytes: number };
  template: Template | undefined;
  /** why the file is not accepted: it is deleted and not counted as usage */
  refusal?: string | undefined;
  /** null: the caller starts an execution */
  executionArn: string | null;
  /** the key of the object that is to be copied to that of the source */
  copiedFrom?: string | undefined;
  createdAtMilliseconds: number;
};

/**
 * Creates the video of an upload with its original stream, its counts, its usage and its activity, and marks the upload
 * as stored. False when the video exists, was deleted, or its upload was aborted or its owner deleted.
 */
export async function createVideo(properties: NewVideo): Promise<boolean> {
  const [id, streamId] = await Promise.all([takeIds(keys.counter('video')), takeIds(keys.counter('stream'))]);
  const { upload, source, template, refusal, createdAtMilliseconds: atMilliseconds } = properties;
  const { ulid, ownerUlid, externalUserId } = upload;
  const { bytes } = source;
  const video = newVideo(id, properties);
  const original = originalStream(streamId, bytes, video.createdAt);
  return tryTransact([
    {
      put: videoItem(video),
      when: { exists: false },
    },
    {
      update: keys.upload(ulid),
      set: { status: 'stored', videoMade: true },
      remove: [...openUploadFields],
      // A late event must not create a deleted video again.
      when: { oneOf: { status: ['open', 'completing', 'stored'] }, absent: ['videoMade'] },
    },
    ...listingChanges(undefined, video),
    ...tagCounts(undefined, video),
    markWorking(ulid),
    // Its owner can still read it when it is not shared any more.
    ...(template && template.ownerUlid !== ownerUlid ? [templateReaderWrite(template.ulid, ownerUlid, ulid)] : []),
    // A user who is being deleted must not get a new video.
    { check: keys.user(ownerUlid), when: { exists: true, absent: ['deletedAt'] } },
    { put: streamsItem(ulid, 1, [original]) },
    { put: outputsItem(ulid, 1, []) },
    { put: idItem('video', id, ulid) },
    ...[streamId, original.ulid].map((name) => ({ put: partIdItem('stream', name, original.ulid, ulid) })),
    { update: keys.userCounts(ownerUlid), set: { kind: 'counts' }, add: { videos: 1, openUploads: -1 } },
    uploadRelease(upload),
    ...(upload.origin === 'ingest' ? ingestStored(upload) : []),
    ...usageWrites({
      userUlid: ownerUlid,
      metric: 'upload_bytes',
      externalUserId,
      amount: refusal === undefined ? bytes : 0,
      atMilliseconds,
    }),
    // A clip was not uploaded: its upload has the entry.
    ...(upload.sourceVideoUlid === undefined
      ? [videoActivity({ ulid: ownerUlid }, { id, ulid }, 'uploaded', `Uploaded ${upload.fileName}`, { size: bytes })]
      : []),
    eventWrite({ type: 'upload.completed', ownerUlid, externalUserId, subject: { kind: 'upload', ulid } }),
    videoEvent('video.created', video),
  ]);
}

const newVideo = (
  id: number,
  { upload, source, template, refusal, executionArn, copiedFrom, createdAtMilliseconds }: NewVideo,
): Video => ({
  ulid: upload.ulid,
  id,
  ownerUlid: upload.ownerUlid,
  name: upload.fileName,
  status: 'pending',
  durationSeconds: null,
  aspectRatio: null,
  thumbnailPath: null,
  storyboardPath: null,
  previewPath: null,
  thumbnailImages: null,
  playback: 'signed',
  templateUlid: upload.templateUlid,
  templateId: template?.id ?? 0,
  query: null,
  sourceKey: source.key,
  sourceBytes: source.bytes,
  externalUserId: upload.externalUserId,
  externalResourceId: upload.externalResourceId,
  metadata: upload.metadata,
  tags: upload.tags,
  sourceOptions: upload.sourceOptions,
  sourceVideoUlid: upload.sourceVideoUlid,
  copiedFrom,
  planNumber: 1,
  lastPlanNumber: 1,
  executionCount: 1,
  executionArn,
  startedAt: null,
  ...(refusal !== undefined && { refusal }),
  createdAt: timestamp(createdAtMilliseconds),
});

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
