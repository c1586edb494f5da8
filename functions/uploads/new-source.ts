import { now } from '../../shared/clock.ts';
import { uploadOfObject } from '../../shared/object-keys.ts';
import { Conflict, SourceDeleted, unknownRecord, ValidationFailed } from '../common/errors.ts';
import { isFinal } from '../contracts/statuses.ts';
import type { Upload, User, Video } from '../table/records.ts';
import { findAnyUpload } from '../table/uploads/upload-table.ts';
import { refuseSource, replaceSource } from '../table/videos/replace-source.ts';
import { sourceKeysOf } from '../table/videos/source-of-video.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { claimSource, deleteUnclaimedObjects } from './claim-source.ts';

/**
 * The video that an upload is to bring another source.
 * @throws ValidationFailed unless it is the user's; Conflict while it is being processed; SourceDeleted
 */
export async function findReplaceable(user: User, ulid: string, template: string | undefined): Promise<Video> {
  const video = await findVideo(ulid);
  if (video?.ownerUlid !== user.ulid) throw unknownRecord('metadata.replaces');
  if (template !== undefined && template !== video.templateUlid) {
    const message =
      'A new source is encoded with the template of its video: leave this field out, or change the video.';
    throw new ValidationFailed({ 'metadata.template': [message] });
  }
  requireReplaceable(video);
  return video;
}

/**
 * Before an upload is completed, since its file is lost when it cannot be used then.
 * @throws Conflict when the video is being processed or was deleted; SourceDeleted
 */
export async function requireStillReplaceable({ replaces }: Upload): Promise<void> {
  if (replaces === undefined) return;
  const video = await findVideo(replaces);
  if (!video) throw new Conflict('video_deleted', 'The video of this upload was deleted. Abort the upload.');
  requireReplaceable(video);
}

function requireReplaceable(video: Video): void {
  if (video.sourceDeletedAt !== undefined) throw new SourceDeleted();
  if (!isBusy(video)) return;
  throw new Conflict(
    'video_in_progress',
    'The video is being processed. Its source can be replaced when that has ended.',
  );
}

const isBusy = ({ status, editPlanNumber }: Video): boolean => !isFinal(status) || editPlanNumber !== undefined;

/** The video may change while it is read. */
const maxAttempts = 5;

/**
 * Makes the stored file of an upload the source of the video that it names, once. Returns the video while the file is
 * its source. Undefined when it is not, or not any more: then the file is deleted.
 * @param refusal why a file is not accepted, `CODE: sentence`
 */
export async function takeNewSource(
  upload: Upload,
  executionArn: string,
  refusal: (bytes: number) => Promise<string | undefined>,
): Promise<Video | undefined> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const video = await findVideo(upload.replaces!);
    const owned = video ? sourceKeysOf(video).map(uploadOfObject).indexOf(upload.ulid) : -1;
    if (owned >= 0) return owned === 0 ? video : undefined;
    const current = await findAnyUpload(upload.ulid);
    const source = isOpen(current) ? await claimSource(upload) : undefined;
    if (!source) break;
    const isLast = attempt === maxAttempts;
    const reason = conflictOf(video, upload) ?? (await refusal(source.bytes)) ?? (isLast ? changed : undefined);
    if (reason !== undefined) {
      if (await refuseSource(video, upload, reason)) break;
    } else if (await replaceSource(video!, upload, { source, executionArn, atMilliseconds: now() })) {
      return findVideo(upload.replaces!);
    }
  }
  await deleteUnclaimedObjects(upload, []);
  return undefined;
}

const isOpen = (upload: Upload | undefined): boolean => upload?.status === 'open' || upload?.status === 'completing';

const changed = 'REPLACE_CONFLICT: The video changed when the file arrived. Upload the file again.';

function conflictOf(video: Video | undefined, { ownerUlid }: Upload): string | undefined {
  if (video?.ownerUlid !== ownerUlid) return 'REPLACE_CONFLICT: The video was deleted, or belongs to another user.';
  if (video.sourceDeletedAt !== undefined) return `REPLACE_CONFLICT: ${new SourceDeleted().message}`;
  return isBusy(video)
    ? 'REPLACE_CONFLICT: The video was being processed when the file arrived. Upload the file again when that has ended.'
    : undefined;
}
