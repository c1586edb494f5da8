import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { parseUploadKey } from '../../shared/object-keys.ts';
import { enqueueVideo, hasSlot } from '../admission/admission.ts';
import { objectBytes, tagOrphan } from '../aws/object-store.ts';
import { uploadLimits } from '../common/limits.ts';
import { addVideoToLog, log } from '../common/log.ts';
import { findAnyTemplate } from '../table/accounts/template-table.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Template, Upload, Video } from '../table/records.ts';
import { createVideo } from '../table/videos/new-video.ts';
import { claimStreamEdit, findStreamEdit } from '../table/videos/stream-edit-table.ts';
import { findAnyUpload } from '../table/videos/upload-table.ts';
import { claimVideo, findVideo } from '../table/videos/video-table.ts';
import { claimSource, deleteUnclaimedObjects } from '../uploads/video-from-upload.ts';
import { failVideo } from './fail.ts';

const input = z.object({
  event: z.union([
    z.object({ videoUlid: z.string(), planNumber: z.int() }),
    z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) }),
  ]),
  executionArn: z.string(),
});

type Answer = {
  decision: 'process' | 'queued' | 'already-created' | 'ignored';
  videoUlid?: string;
  planNumber?: number;
};
const ignored: Answer = { decision: 'ignored' };

/**
 * The guard of every execution: makes the video of an upload, or takes up one that is to be processed again. Whatever comes twice, the execution whose
 * ARN is in the record has the video, and may ask again.
 */
export async function handler(raw: unknown): Promise<Answer> {
  const { event, executionArn } = input.parse(raw);
  if ('videoUlid' in event) {
    addVideoToLog(event.videoUlid, event.planNumber);
    const video = await findVideo(event.videoUlid);
    return video?.planNumber === event.planNumber ? takeUp(video, executionArn) : takeUpChange(event, executionArn);
  }
  const { key } = event.detail.object;
  const upload = await uploadBehind(key);
  if (!upload) {
    log.warn('an object that no upload has', { key });
    if ((await objectBytes(key)) !== undefined) await tagOrphan(key);
    return ignored;
  }
  addVideoToLog(upload.ulid);
  // Given up, while a form that was signed before could still be sent.
  if (upload.status === 'aborted') {
    await deleteUnclaimedObjects(upload, undefined);
    return ignored;
  }
  const video = (await findVideo(upload.ulid)) ?? (await videoOfUpload(upload, executionArn));
  if (!video) return ignored;
  // A form is taken once: what is sent with it later, or was taken by another execution too, makes no video and goes.
  if (upload.store === 'post') await deleteUnclaimedObjects(upload, video.sourceKey);
  addVideoToLog(video.ulid, video.planNumber);
  return takeUp(video, executionArn);
}

async function uploadBehind(key: string): Promise<Upload | undefined> {
  const names = parseUploadKey(key);
  const upload = names && (await findAnyUpload(names.uploadUlid));
  return upload?.key === key ? upload : undefined;
}

/** The video, made in one transaction with all that is counted of it. Undefined when its object or owner is gone, or it was made and deleted. */
async function videoOfUpload(upload: Upload, executionArn: string): Promise<Video | undefined> {
  const [taken, owner, template] = await Promise.all([
    claimSource(upload),
    findUser(upload.ownerUlid),
    findAnyTemplate(upload.templateUlid),
  ]);
  if (!owner) {
    await deleteUnclaimedObjects(upload, undefined);
    return undefined;
  }
  if (!taken) return findVideo(upload.ulid);
  await createVideo({ upload, source: taken, template, executionArn, createdAtMilliseconds: now() });
  const video = await findVideo(upload.ulid);
  // Given up or deleted meanwhile; a multipart upload cannot be sent again, and its object goes with the video.
  if (!video && upload.store === 'post') await deleteUnclaimedObjects(upload, undefined);
  return video;
}

async function takeUp(video: Video, executionArn: string): Promise<Answer> {
  const taken = { videoUlid: video.ulid, planNumber: video.planNumber };
  if (video.executionArn !== null && video.executionArn !== executionArn)
    return { decision: 'already-created', ...taken };
  if (video.status !== 'pending') return { decision: 'process', ...taken };

  const template = await findAnyTemplate(video.templateUlid);
  const reason = refusal(video, template);
  if (reason) {
    await failVideo(video, reason);
    return ignored;
  }
  if (!(await hasSlot(video))) {
    return { decision: (await enqueueVideo(video)) ? 'queued' : 'already-created', ...taken };
  }
  if (!(await claimVideo(video, { executionArn, query: template?.query }))) {
    // Another execution may have claimed the video after it was read.
    const current = await findVideo(video.ulid);
    if (current?.executionArn !== executionArn) return { decision: 'already-created', ...taken };
  }
  return { decision: 'process', ...taken };
}

async function takeUpChange(
  { videoUlid, planNumber }: { videoUlid: string; planNumber: number },
  arn: string,
): Promise<Answer> {
  const change = await findStreamEdit(videoUlid, planNumber);
  if (!change) return ignored;
  return { decision: (await claimStreamEdit(change, arn)) ? 'process' : 'already-created', videoUlid, planNumber };
}

function refusal(video: Video, template: Template | undefined): string | undefined {
  if (video.sourceBytes === 0) return 'INPUT_EMPTY: The file is empty. Upload a file that has content.';
  if (video.sourceBytes > uploadLimits.maxObjectBytes)
    return 'INPUT_TOO_LARGE: The file is over 5 TiB. Upload a smaller one.';
  return template
    ? undefined
    : 'INTERNAL: The template of this upload was deleted. Choose another and process the video again.';
}
