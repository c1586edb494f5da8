import { timestamp } from '../../shared/clock.ts';
import { uploadKey } from '../../shared/object-keys.ts';
import { abortMultipart, createMultipart } from '../aws/upload-store.ts';
import { ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import { uploadLimits } from '../common/upload-limits.ts';
import { findTemplateByUlid } from '../table/accounts/template-table.ts';
import type { Upload, User } from '../table/records.ts';
import { addUpload, closeUpload, TemplateGone, TooManyOpenUploads } from '../table/videos/upload-table.ts';
import { evictIdleUpload } from './make-room.ts';

type Asked = {
  filename: string;
  type?: string | null | undefined;
  size?: number | null | undefined;
  metadata: { template: string; externalUserId: string | null; externalResourceId: string | null };
};

/**
 * Opens an upload whose ULID will be the video's.
 * @throws ValidationFailed when the template is not one of the user's, or too many uploads are open
 */
export async function openUpload(user: User, store: Upload['store'], asked: Asked): Promise<Upload> {
  const { template, externalUserId, externalResourceId } = asked.metadata;
  if (!(await findTemplateByUlid(user.ulid, template))) throw unknownTemplate();
  const ulid = newUlid();
  const key = uploadKey(user.ulid, ulid, asked.filename);
  const contentType = safeContentType(asked.type);
  const upload: Upload = {
    ulid,
    ownerUlid: user.ulid,
    key,
    store,
    storeUploadId: store === 'multipart' ? await createMultipart(key, contentType) : '',
    status: 'open',
    fileName: asked.filename,
    contentType,
    ...(asked.size && { sizeBytes: asked.size }),
    templateUlid: template,
    externalUserId,
    externalResourceId,
    createdAt: timestamp(),
  };
  try {
    await addInRoom(upload);
    return upload;
  } catch (error) {
    const isRefused = error instanceof TemplateGone || error instanceof TooManyOpenUploads;
    // Whoever is told that it failed does not know of the upload; it must not stay open if it was made after all.
    if (!isRefused)
      await closeUpload(upload, 'aborted').catch((failure: Error) => log.warn('an upload stays open', failure));
    if (store === 'multipart') {
      await abortMultipart(upload).catch((failure: Error) => log.warn('a multipart upload stays open', failure));
    }
    if (error instanceof TemplateGone) throw unknownTemplate();
    if (!isRefused) throw error;
    throw new ValidationFailed({
      filename: [`At most ${uploadLimits.openUploads} uploads may be open: complete or abort some.`],
    });
  }
}

/** @throws TooManyOpenUploads when all of them go on, TemplateGone */
async function addInRoom(upload: Upload): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await addUpload(upload);
    } catch (error) {
      // Another call may take the place that was made.
      if (!(error instanceof TooManyOpenUploads) || attempt === 3 || !(await evictIdleUpload(upload.ownerUlid)))
        throw error;
    }
  }
}

const unknownTemplate = (): ValidationFailed =>
  new ValidationFailed({ 'metadata.template': ['The selected metadata.template is invalid.'] });

/** A media type as a header can carry it. Nothing depends on it, so what has another form is simply not kept. */
const safeContentType = (type: string | null | undefined): string =>
  type && /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+="?[\w.+, -]+"?)*$/.test(type) ? type : 'application/octet-stream';
