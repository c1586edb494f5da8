import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { isTakenKey, parseUploadKey, watchPrefix } from '../../shared/object-keys.ts';
import { objectBytes, tagOrphan } from '../aws/object-store.ts';
import { QuotaExceeded } from '../common/errors.ts';
import { addVideoToLog, log } from '../common/log.ts';
import type { Claim, ClaimDecision } from '../runs/run-operations.ts';
import { failVideo } from '../runs/video-run/fail-video.ts';
import { startVideo } from '../runs/video-run/start-video.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Upload, User, Video } from '../table/records.ts';
import { findAnyTemplate } from '../table/template-table.ts';
import { closeUpload, findAnyUpload, holdKnownBytes } from '../table/uploads/upload-table.ts';
import { createVideo } from '../table/videos/new-video.ts';
import { sourceKeysOf } from '../table/videos/source-of-video.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { claimSource, copySource, deleteUnclaimedObjects } from '../uploads/claim-source.ts';
import { takeNewSource } from '../uploads/new-source.ts';
import { uploadOfWatched } from '../uploads/watched-object.ts';
import { findCurrentRun } from './current-run.ts';
import { claim } from './operations.ts';

const input = z.object({
  event: z.union([
    z.object({ videoUlid: z.string(), planNumber: z.int() }),
    z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) }),
  ]),
  executionArn: z.string(),
});

type Result = { decision: ClaimDecision; videoUlid?: string; planNumber?: number };
const ignored: Result = { decision: 'ignored' };

/**
 * State CreateVideo, the first of every execution: creates the video of an upload whose object was stored, gives a
 * video another source, or finds the run that the service started the execution for, and claims it. Of several
 * executions for one run, only one continues.
 */
export async function handler(raw: unknown): Promise<Result> {
  const { event, executionArn } = input.parse(raw);
  return 'videoUlid' in event ? claimRun(event, executionArn) : claimUpload(event.detail.object.key, executionArn);
}

async function claimRun(event: { videoUlid: string; planNumber: number }, executionArn: string): Promise<Result> {
  const { videoUlid, planNumber } = event;
  const run = await findCurrentRun(videoUlid, planNumber);
  if (run && !(await hasSource(run.whole.video))) return ignored;
  if (run) return claimed(videoUlid, await claim(run, executionArn));
  // An earlier call may have claimed the video under a new plan.
  const video = await findVideo(videoUlid);
  if (video?.executionArn !== executionArn) return ignored;
  return claimed(videoUlid, await startVideo(video, executionArn));
}

/** Copies the source of a clip before its run begins. The video fails when it cannot be copied. */
async function hasSource(video: Video): Promise<boolean> {
  const { copiedFrom } = video;
  if (copiedFrom === undefined || (await copySource({ ...video, copiedFrom }))) return true;
  await failVideo(video, 'INPUT_GONE: The source of the other video was deleted before it was copied.');
  return false;
}

async function claimUpload(key: string, executionArn: string): Promise<Result> {
  // The service copies large objects in parts, which has the event of an upload.
  if (isTakenKey(key)) return ignored;
  const isWatched = key.startsWith(watchPrefix);
  const upload = await (isWatched ? uploadOfWatched(key) : uploadOf(key));
  if (!upload) {
    if (isWatched) return ignored;
    log.warn('an object belongs to no upload', { key });
    if ((await objectBytes(key)) !== undefined) await tagOrphan(key);
    return ignored;
  }
  addVideoToLog(upload.ulid);
  // A form that was signed before its upload was aborted can still be sent.
  if (upload.status === 'aborted') {
    await deleteUnclaimedObjects(upload, []);
    return ignored;
  }
  const video = await (upload.replaces === undefined
    ? videoOfUpload(upload, executionArn)
    : replacedVideo(upload, executionArn));
  if (!video) return ignored;
  // A form is accepted once: delete what was sent later, and copies that other executions made of the same form.
  if (upload.store === 'post') {
    await deleteUnclaimedObjects(upload, video.refusal === undefined ? sourceKeysOf(video) : []);
  }
  addVideoToLog(video.ulid, video.planNumber);
  return claimed(video.ulid, await startVideo(video, executionArn));
}

const claimed = (videoUlid: string, { decision, planNumber }: Claim): Result =>
  decision === 'ignored' ? ignored : { decision, videoUlid, planNumber };

async function replacedVideo(upload: Upload, executionArn: string): Promise<Video | undefined> {
  return takeNewSource(upload, executionArn, async (bytes) => {
    const owner = upload.store === 'post' ? await findUser(upload.ownerUlid) : undefined;
    return owner && quotaRefusal(upload, bytes, owner);
  });
}

async function uploadOf(key: string): Promise<Upload | undefined> {
  const names = parseUploadKey(key);
  const upload = names && (await findAnyUpload(names.uploadUlid));
  return upload?.key === key ? upload : undefined;
}

/**
 * Creates the video, with all that is counted for it, in one transaction. Undefined when the object or the owner is
 * gone, or when the video was created and deleted before.
 */
async function videoOfUpload(upload: Upload, executionArn: string): Promise<Video | undefined> {
  const known = await findVideo(upload.ulid);
  if (known) return known;
  const [source, owner, template] = await Promise.all([
    claimSource(upload),
    findUser(upload.ownerUlid),
    findAnyTemplate(upload.templateUlid),
  ]);
  if (!owner) {
    await deleteUnclaimedObjects(upload, []);
    return undefined;
  }
  if (!source) {
    // The object has been overwritten or deleted: nothing else ends the upload.
    if (upload.watched) await closeUpload(upload, 'expired');
    return findVideo(upload.ulid);
  }
  const refusal = upload.store === 'post' ? await quotaRefusal(upload, source.bytes, owner) : undefined;
  await createVideo({ upload, source, template, refusal, executionArn, createdAtMilliseconds: now() });
  const video = await findVideo(upload.ulid);
  // Aborted or deleted. A multipart upload cannot be sent again, and its object is deleted with the video.
  if (!video && upload.store === 'post') await deleteUnclaimedObjects(upload, []);
  return video;
}

/** Why a form is not accepted. A multipart upload was checked when it was completed. */
async function quotaRefusal(upload: Upload, bytes: number, { quota }: User): Promise<string | undefined> {
  try {
    await holdKnownBytes(upload, bytes, quota);
    return undefined;
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error;
    return `QUOTA_EXCEEDED: The file has ${bytes} bytes, more than is left of this month's quota. Upload it again next month, or ask the administrator for a higher quota.`;
  }
}
