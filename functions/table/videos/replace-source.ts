import { runPrefix, thumbnailsPrefix, uploadOfObject } from '../../../shared/object-keys.ts';
import { restoredVideoTransitions, statusesBefore, videoTransitions } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { ReplacedSource, Upload, Video } from '../records.ts';
import { uploadActivity, videoActivity } from '../writes/activity-writes.ts';
import { eventWrite, videoEvent } from '../writes/event-writes.ts';
import { ingestFailed, ingestJobDeletion, ingestStored } from '../writes/ingest-writes.ts';
import { runRelease, uploadRelease } from '../writes/reservation-writes.ts';
import { attemptsRetirement, retirement, sourceRetirement } from '../writes/retirement-writes.ts';
import { endedUploadExpiry, expireUpload, openUploadFields } from '../writes/upload-writes.ts';
import { usageWrites } from '../writes/usage-writes.ts';
import { listedStatus, markWorking } from '../writes/video-writes.ts';
import { deletePartIds } from './finish-video.ts';
import { nextPlan } from './reprocess-video.ts';
import type { WholeVideo } from './video-table.ts';

// A new source of a video is a plan of the video. While it is made, `replaced` keeps what the video was before.

type NewSource = { key: string; bytes: number };
type Begun = { source: NewSource; executionArn: string; atMilliseconds: number };

/**
 * Gives a video that has ended the file of an upload as its source, and moves it to pending for an execution. Marks the
 * upload as stored and counts its bytes. False when the video is being processed or edited, was deleted, has another
 * owner or changed after it was read, or when the upload has ended.
 */
export function replaceSource(video: Video, upload: Upload, begun: Begun): Promise<boolean> {
  const { ulid, ownerUlid, externalUserId, planNumber, lastPlanNumber, executionCount } = video;
  const { source, executionArn, atMilliseconds } = begun;
  const number = nextPlan(video);
  return tryTransact([
    {
      update: keys.video(ulid),
      set: {
        ...listedStatus(video, 'pending'),
        executionArn,
        startedAt: null,
        planNumber: number,
        query: null,
        sourceKey: source.key,
        sourceBytes: source.bytes,
        sourceNumber: number,
        replaced: replacedOf(video),
        ...(upload.sourceOptions && { sourceOptions: upload.sourceOptions }),
      },
      add: { executionCount: 1, lastPlanNumber: 1 },
      remove: [
        'refusal',
        'replaceError',
        // The new source is no copy: a later run would write that of the other video over it.
        'copiedFrom',
        'sourceVideoUlid',
        ...(upload.sourceOptions ? [] : ['sourceOptions']),
      ],
      when: {
        equals: { ownerUlid, planNumber, lastPlanNumber, executionCount },
        oneOf: { status: statusesBefore(videoTransitions, 'pending') },
        absent: ['deletedAt', 'editPlanNumber', 'sourceDeletedAt', 'replaced'],
      },
    },
    markWorking(ulid),
    ...uploadEnd(upload, { status: 'stored', videoMade: true }),
    ...(upload.origin === 'ingest' ? [...ingestStored(upload), ingestJobDeletion(upload.ulid)] : []),
    // A user who is being deleted must not get a new source.
    { check: keys.user(ownerUlid), when: { exists: true, absent: ['deletedAt'] } },
    ...usageWrites({
      userUlid: ownerUlid,
      metric: 'upload_bytes',
      externalUserId,
      amount: source.bytes,
      atMilliseconds,
    }),
    videoActivity({ ulid: ownerUlid }, video, 'replaced', `Replaced the source of ${video.name}`, {
      filename: upload.fileName,
      size: source.bytes,
    }),
    eventWrite({ type: 'upload.completed', ownerUlid, externalUserId, subject: { kind: 'upload', ulid: upload.ulid } }),
    videoEvent('video.reprocessing', video),
  ]);
}

const replacedOf = (video: Video): ReplacedSource => ({
  sourceKey: video.sourceKey,
  sourceBytes: video.sourceBytes,
  planNumber: video.planNumber,
  status: video.status === 'failed' ? 'failed' : 'completed',
  query: video.query,
  durationSeconds: video.durationSeconds,
  aspectRatio: video.aspectRatio,
  ...(video.sourceNumber !== undefined && { sourceNumber: video.sourceNumber }),
  ...(video.sourceOptions && { sourceOptions: video.sourceOptions }),
  ...(video.originSeconds !== undefined && { originSeconds: video.originSeconds }),
  ...(video.sourceVideoUlid !== undefined && { sourceVideoUlid: video.sourceVideoUlid }),
  ...(video.copiedFrom !== undefined && { copiedFrom: video.copiedFrom }),
  ...(video.estimatedCpuSeconds !== undefined && { estimatedCpuSeconds: video.estimatedCpuSeconds }),
  ...(video.refusal !== undefined && { refusal: video.refusal }),
  ...(video.playableAt !== undefined && { playableAt: video.playableAt }),
});

/** Ends the upload of a new source: it is not open any more, and nothing is held or counted for it. */
const uploadEnd = (upload: Upload, set: Record<string, unknown>): Write[] => [
  {
    update: keys.upload(upload.ulid),
    set,
    remove: [...openUploadFields],
    when: { oneOf: { status: ['open', 'completing'] } },
  },
  { update: keys.userCounts(upload.ownerUlid), add: { openUploads: -1 } },
  { update: keys.templateCounts(upload.templateUlid), add: { references: -1 } },
  uploadRelease(upload),
];

/**
 * Ends an upload whose file cannot become the source of its video, which stays as it is. The caller deletes the file.
 * False when the upload has ended.
 * @param video undefined when it is deleted
 * @param reason `CODE: sentence`
 */
export function refuseSource(video: Video | undefined, upload: Upload, reason: string): Promise<boolean> {
  const { ownerUlid } = upload;
  return tryTransact([
    ...uploadEnd(upload, { status: 'aborted', expiresAt: endedUploadExpiry() }),
    ...(upload.origin === 'ingest' ? ingestFailed(upload, reason) : []),
    uploadActivity({ ulid: ownerUlid }, upload, 'failed', `Could not use the upload of ${upload.fileName}`),
    ...(video
      ? [
          { update: keys.video(video.ulid), set: { replaceError: reason }, when: { absent: ['deletedAt'] } },
          videoEvent('video.replace_failed', video),
        ]
      : []),
  ]);
}

/** Lets the record of the upload of a source expire, when the source is gone. */
export async function forgetUploadOf(sourceKey: string): Promise<void> {
  const ulid = uploadOfObject(sourceKey);
  if (ulid !== undefined) await tryWrite(expireUpload(ulid));
}

/** What a video may lack. */
const kept = [
  'sourceNumber',
  'sourceOptions',
  'originSeconds',
  'sourceVideoUlid',
  'copiedFrom',
  'estimatedCpuSeconds',
  'refusal',
  'playableAt',
] as const satisfies (keyof ReplacedSource)[];

/**
 * Ends a failed replacement: the video has its source, plan, streams and outputs as before, and the files of the new
 * source are deleted. False when it has ended before, or the video was deleted.
 * @param reason `CODE: sentence`
 */
export async function restoreSource(whole: WholeVideo, reason: string): Promise<boolean> {
  const { video, replacedOriginal } = whole;
  const { ulid, planNumber, replaced } = video;
  if (!replaced) return false;
  const { status, ...fields } = replaced;
  const isNew = (part: { planNumber: number; type?: string }): boolean =>
    part.planNumber === planNumber && part.type !== 'original';
  const parts = { streams: whole.streams.filter(isNew), outputs: whole.outputs.filter(isNew) };
  const isRestored = await tryTransact([
    {
      update: keys.video(ulid),
      set: { ...fields, ...listedStatus(video, status), replaceError: reason },
      remove: ['replaced', ...kept.filter((name) => fields[name] === undefined)],
      when: {
        equals: { planNumber },
        oneOf: { status: statusesBefore(restoredVideoTransitions, status) },
        absent: ['deletedAt'],
      },
    },
    {
      update: keys.streams(ulid),
      set: {
        planNumber: replaced.planNumber,
        ...(replacedOriginal && { [`streams.${replacedOriginal.ulid}`]: replacedOriginal }),
      },
      remove: ['replacedOriginal', ...parts.streams.map((stream) => `streams.${stream.ulid}`)],
    },
    {
      update: keys.outputs(ulid),
      set: { planNumber: replaced.planNumber },
      remove: parts.outputs.map((output) => `outputs.${output.ulid}`),
    },
    { delete: keys.working(ulid) },
    { delete: keys.earlyPlayback(ulid) },
    runRelease(video, video),
    attemptsRetirement(ulid),
    sourceRetirement(video.sourceKey),
    ...[runPrefix(ulid, planNumber), thumbnailsPrefix(ulid, planNumber)].map((prefix) => retirement({ prefix })),
    videoEvent('video.replace_failed', video),
  ]);
  await deletePartIds(parts);
  return isRestored;
}
