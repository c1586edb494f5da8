import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { parseUploadKey } from '../../shared/object-keys.ts';
import { objectBytes, tagOrphan } from '../aws/object-store.ts';
import { addVideoToLog, log } from '../common/log.ts';
import type { ClaimDecision } from '../runs/run-operations.ts';
import { startVideo } from '../runs/video-run/start-video.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Upload, Video } from '../table/records.ts';
import { findAnyTemplate } from '../table/templates/template-table.ts';
import { findAnyUpload } from '../table/uploads/upload-table.ts';
import { createVideo } from '../table/videos/new-video.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { claimSource, deleteUnclaimedObjects } from '../uploads/claim-source.ts';
import { findCurrentRun } from './current-run.ts';
import { claim } from './operations.ts';

const input = z.object({
  event: z.union([
    z.object({ videoUlid: z.string(), planNumber: z.int() }),
    z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) }),
  ]),
  executionArn: z.string(),
});

type Answer = { decision: ClaimDecision; videoUlid?: string; planNumber?: number };
const ignored: Answer = { decision: 'ignored' };

/**
 * State CreateVideo, the first of every execution: creates the video of an upload whose object was stored, or finds the
 * run that the service started the execution for, and claims it. Of several executions for one run, only one continues.
 */
export async function handler(raw: unknown): Promise<Answer> {
  const { event, executionArn } = input.parse(raw);
  return 'videoUlid' in event ? claimRun(event, executionArn) : claimUpload(event.detail.object.key, executionArn);
}

async function claimRun(event: { videoUlid: string; planNumber: number }, executionArn: string): Promise<Answer> {
  const run = await findCurrentRun(event.videoUlid, event.planNumber);
  return run ? claimed(event, await claim(run, executionArn)) : ignored;
}

async function claimUpload(key: string, executionArn: string): Promise<Answer> {
  const upload = await uploadOf(key);
  if (!upload) {
    log.warn('an object belongs to no upload', { key });
    if ((await objectBytes(key)) !== undefined) await tagOrphan(key);
    return ignored;
  }
  addVideoToLog(upload.ulid);
  // A form that was signed before its upload was aborted can still be sent.
  if (upload.status === 'aborted') {
    await deleteUnclaimedObjects(upload, undefined);
    return ignored;
  }
  const video = (await findVideo(upload.ulid)) ?? (await videoOfUpload(upload, executionArn));
  if (!video) return ignored;
  // A form is accepted once: delete what was sent later, and copies that other executions made of the same form.
  if (upload.store === 'post') await deleteUnclaimedObjects(upload, video.sourceKey);
  addVideoToLog(video.ulid, video.planNumber);
  const decision = await startVideo(video, executionArn);
  return claimed({ videoUlid: video.ulid, planNumber: video.planNumber }, decision);
}

const claimed = (run: { videoUlid: string; planNumber: number }, decision: ClaimDecision): Answer =>
  decision === 'ignored' ? ignored : { decision, ...run };

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
  const [source, owner, template] = await Promise.all([
    claimSource(upload),
    findUser(upload.ownerUlid),
    findAnyTemplate(upload.templateUlid),
  ]);
  if (!owner) {
    await deleteUnclaimedObjects(upload, undefined);
    return undefined;
  }
  if (!source) return findVideo(upload.ulid);
  await createVideo({ upload, source, template, executionArn, createdAtMilliseconds: now() });
  const video = await findVideo(upload.ulid);
  // Aborted or deleted meanwhile. A multipart upload cannot be sent again, and its object is deleted with the video.
  if (!video && upload.store === 'post') await deleteUnclaimedObjects(upload, undefined);
  return video;
}
