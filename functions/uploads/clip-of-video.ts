import { now, timestamp } from '../../shared/clock.ts';
import { takenKey, uploadKey } from '../../shared/object-keys.ts';
import { startVideoExecution } from '../aws/executions.ts';
import { NotFound, unknownRecord, ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { uploadLimits } from '../common/limits.ts';
import { toMicroseconds } from '../contracts/fields/fields.ts';
import type { Clip } from '../contracts/fields/source-options.ts';
import type { Upload, User, Video } from '../table/records.ts';
import { findUsableTemplate } from '../table/template-table.ts';
import { addUpload, TemplateGone, TooManyOpenUploads } from '../table/uploads/upload-table.ts';
import { createVideo } from '../table/videos/new-video.ts';
import { requireSource } from '../table/videos/source-of-video.ts';
import { findVideo } from '../table/videos/video-table.ts';

/** What a clip is made with. Without a name and a template, it has those of the video. */
export type ClipRequest = {
  clip: Clip;
  name?: string | undefined;
  template?: string | undefined;
} & Pick<Upload, 'metadata' | 'tags'>;

/**
 * Makes a video of a part of another one, from the same source. The source is copied by its execution: a copy takes the
 * store minutes. Until then nothing of the file is read. Returns the ULID of the new video.
 * @param video one of the user's
 * @throws SourceDeleted, ValidationFailed, QuotaExceeded
 */
export async function createClip(user: User, video: Video, request: ClipRequest): Promise<string> {
  // While the source is being replaced, what plays is of the one before.
  const shown = video.replaced ?? video;
  requireSource({ ...video, refusal: shown.refusal });
  const clip = clipOfSource(shown, request.clip);
  const templateUlid = request.template ?? video.templateUlid;
  const template = await findUsableTemplate(user.ulid, templateUlid);
  if (!template) throw unknownRecord('template');
  const { metadata = {}, tags = [] } = request;
  const ulid = newUlid();
  const fileName = request.name ?? video.name;
  const key = uploadKey(user.ulid, ulid, fileName);
  const upload: Upload = {
    ulid,
    ownerUlid: user.ulid,
    key,
    store: 'post',
    s3UploadId: '',
    status: 'open',
    fileName,
    contentType: 'application/octet-stream',
    sizeBytes: shown.sourceBytes,
    templateUlid,
    sourceVideoUlid: video.ulid,
    externalUserId: video.externalUserId,
    externalResourceId: null,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags.length > 0 && { tags }),
    sourceOptions: { ...shown.sourceOptions, clip },
    createdAt: timestamp(),
  };
  const source = { key: takenKey(key, newUlid()), bytes: shown.sourceBytes };
  await addUpload(upload, user.quota).catch((error: unknown) => {
    throw refusalOf(error);
  });
  await createVideo({
    upload,
    source,
    template,
    executionArn: null,
    // The source of a clip that is still to be copied is where that of the clip is to come from.
    copiedFrom: shown.copiedFrom ?? shown.sourceKey,
    createdAtMilliseconds: now(),
  });
  const made = await findVideo(ulid);
  // It was deleted, or its owner is being deleted.
  if (!made) throw new NotFound();
  if (made.executionArn === null) await startVideoExecution(made);
  return ulid;
}

function refusalOf(error: unknown): unknown {
  if (error instanceof TemplateGone) return unknownRecord('template');
  if (!(error instanceof TooManyOpenUploads)) return error;
  const message = `At most ${uploadLimits.maxOpenUploads} uploads may be open: complete or abort some.`;
  return new ValidationFailed({ name: [message] });
}

type ShownVideo = Pick<Video, 'durationSeconds' | 'sourceOptions' | 'originSeconds'>;

/**
 * The part of the source that is a part of what the video shows. Exact to the frame once the video is planned: then it
 * is known which frame it begins with.
 * @throws ValidationFailed for a part that begins after the end of the video
 */
export function clipOfSource({ durationSeconds, sourceOptions, originSeconds }: ShownVideo, clip: Clip): Clip {
  const { startSeconds = 0, endSeconds } = clip;
  if (durationSeconds !== null && startSeconds >= durationSeconds) {
    const message = `The start_seconds field must be less than the duration of the video, ${durationSeconds} seconds.`;
    throw new ValidationFailed({ start_seconds: [{ code: 'too_large', message, limit: durationSeconds }] });
  }
  const outer = sourceOptions?.clip;
  const shift = originSeconds ?? outer?.startSeconds ?? 0;
  const ends = [outer?.endSeconds, endSeconds === undefined ? undefined : shift + endSeconds].flatMap((at) => at ?? []);
  return {
    startSeconds: microseconds(shift + startSeconds),
    ...(ends.length > 0 && { endSeconds: microseconds(Math.min(...ends)) }),
  };
}

/** Negative only by rounding. */
const microseconds = (seconds: number): number => Math.max(0, toMicroseconds(seconds));
