import { nowSeconds } from '../../shared/clock.ts';
import { presignedSeconds } from '../aws/presign.ts';
import { Conflict, ServiceUnavailable, Unauthenticated, ValidationFailed } from '../common/errors.ts';
import { uploadLimits } from '../common/limits.ts';
import type { DirectUpload, Upload, User } from '../table/records.ts';
import { findDirectUpload, revokeDirectUpload } from '../table/uploads/direct-upload-table.ts';
import { isStale } from '../table/uploads/upload-end.ts';
import {
  closeUpload,
  findUpload,
  requireUploadQuota,
  TokenRevoked,
  UploadExists,
} from '../table/uploads/upload-table.ts';
import { requireSize } from './check-parts.ts';
import { abortUpload, openUpload, type UploadRequest } from './upload-lifecycle.ts';
import { isIdle } from './upload-progress.ts';

// The upload of a direct upload and its video have the ULID of the direct upload: so a token makes at most one video.

const maxAttempts = 3;

/**
 * Opens the upload of a token, or continues the one that the token has opened. After an abort it can be opened again.
 * @throws PayloadTooLarge, ValidationFailed, QuotaExceeded; after these Conflict when it is complete, or was opened in
 * the other way
 */
export async function openDirectUpload(
  owner: User,
  direct: DirectUpload,
  store: Upload['store'],
  request: UploadRequest,
): Promise<Upload> {
  requireSize(request.size ?? 0, direct.maxBytes);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const known = await findUpload(owner.ulid, direct.ulid);
    if (known) {
      const conflict = conflictOf(known, store);
      if (conflict) {
        await requireUploadQuota(known, request.size ?? 0, owner.quota);
        throw conflict;
      }
      if (await canContinue(known, request)) return known;
    }
    try {
      return await openUpload(owner, store, request, { direct, replaces: known !== undefined });
    } catch (error) {
      if (error instanceof TokenRevoked) throw new Unauthenticated();
      // A concurrent call with the same token was faster.
      if (!(error instanceof UploadExists)) throw error;
    }
  }
  throw new ServiceUnavailable();
}

function conflictOf(upload: Upload, store: Upload['store']): Conflict | undefined {
  // A form can be sent as long as it is valid, also when its upload was aborted: no multipart upload may have its key.
  if (upload.store !== store) return new Conflict('upload_other_way', otherWay[upload.store]);
  return ['open', 'aborted'].includes(upload.status)
    ? undefined
    : new Conflict('upload_complete', 'The upload of this token is complete.');
}

/** False when the upload has to be opened again. */
async function canContinue(upload: Upload, { size }: UploadRequest): Promise<boolean> {
  if (upload.status === 'aborted') return false;
  // Another file: the URLs of its parts are not those of this size.
  if (upload.store === 'multipart' && size && size !== upload.sizeBytes) {
    await abortUpload(upload);
    return false;
  }
  // A form that is signed now must not outlive the upload.
  const isEnding = isStale(upload) || (upload.store === 'post' && (await isIdle(upload, presignedSeconds * 1000)));
  return !(isEnding && (await closeUpload(upload, 'expired')));
}

const otherWay = {
  multipart: 'This upload was begun as a multipart upload. Continue it in that way.',
  post: 'This upload was begun with a form. Continue it in that way.',
} as const;

/**
 * Checks the number of a part. All parts except the last have at least 5 MiB, so a part of a higher number could only
 * belong to a file that is too large.
 * @throws ValidationFailed
 */
export function requirePartNumber(partNumber: number, { maxBytes }: Upload): void {
  if (maxBytes === undefined) return;
  const last = Math.min(uploadLimits.maxParts, Math.ceil(maxBytes / uploadLimits.minPartBytes));
  if (partNumber <= last) return;
  throw new ValidationFailed({ partNumber: [`The partNumber field must not be greater than ${last}.`] });
}

/** How long a form may be valid: not longer than the token. */
export const formSeconds = (direct: DirectUpload | undefined): number =>
  direct ? Math.max(1, Math.min(presignedSeconds, direct.expiresAt - nowSeconds())) : presignedSeconds;

/**
 * Aborts an upload of the owner. Without its token's revocation, the holder of the token could open it again.
 * @throws Conflict when it is being completed, or is complete
 */
export async function removeUpload({ upload, direct }: OwnedUpload): Promise<void> {
  if (upload?.status === 'completing' || upload?.status === 'stored')
    throw new Conflict('upload_complete', 'The upload is complete.');
  if (direct) await revokeDirectUpload(direct);
  // Again, since the token may have opened it before the revocation.
  const latest = direct ? await findUpload(direct.ownerUlid, direct.ulid) : upload;
  if (latest) await abortUpload(latest);
}

/** An upload, and the direct upload that it belongs to, if any. One of the two exists. */
export type OwnedUpload = { upload?: Upload; direct?: DirectUpload };

/** A user's upload of any status, or a direct upload that has not begun. */
export async function findOwnedUpload(ownerUlid: string, ulid: string): Promise<OwnedUpload | undefined> {
  const [upload, direct] = await Promise.all([findUpload(ownerUlid, ulid), findDirectUpload(ownerUlid, ulid)]);
  return upload || direct ? { ...(upload && { upload }), ...(direct && { direct }) } : undefined;
}
