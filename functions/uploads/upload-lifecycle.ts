import { setTimeout as sleep } from 'node:timers/promises';
import { now, timestamp } from '../../shared/clock.ts';
import { uploadKey } from '../../shared/object-keys.ts';
import { abortMultipart } from '../aws/abort-multipart.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, createMultipart, listParts, PartsRefused, type StoredPart } from '../aws/upload-store.ts';
import { Conflict, NotFound, QuotaExceeded, unknownRecord, ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { chosen } from '../common/keyed-request.ts';
import { uploadLimits } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { sourceOptionsIn } from '../contracts/fields/source-options.ts';
import type { BatchStep, DirectUpload, IngestSource, Quota, Upload, User } from '../table/records.ts';
import { unknownStorage } from '../table/storages/storage-table.ts';
import { findUsableTemplate } from '../table/template-table.ts';
import {
  BatchMoved,
  closeUpload,
  findUpload,
  reopenUpload,
  StorageGone,
  startCompleting,
  TemplateGone,
  TokenRevoked,
  TooManyOpenUploads,
  UploadExists,
} from '../table/uploads/upload-table.ts';
import { checkParts, type SentPart } from './check-parts.ts';
import { findReplaceable, requireStillReplaceable } from './new-source.ts';
import { addUploadWithinLimit } from './open-upload-limit.ts';
import { needsSize } from './part-length.ts';

// An upload is opened, completed and aborted here. Clients send its bytes to the store directly, with URLs of
// aws/upload-store.ts. The store's event of the finished object starts pipeline/create-video.lambda.ts.

export type UploadRequest = {
  filename: string;
  type?: string | null | undefined;
  size?: number | null | undefined;
  /** of an ingest: where a worker fetches the file */
  from?: IngestSource | undefined;
  /** the batch that creates it */
  batch?: BatchStep | undefined;
  metadata: {
    /** not needed with `replaces` */
    template?: string | undefined;
    /** the video that the file is to be the source of */
    replaces?: string | undefined;
  } & Pick<Upload, 'externalUserId' | 'externalResourceId' | 'metadata' | 'tags'> &
    Parameters<typeof sourceOptionsIn>[0];
};

/** The direct upload that an upload belongs to, and whether it replaces an aborted upload of the same token. */
type TokenUpload = { direct: DirectUpload; replaces: boolean };

/**
 * Opens an upload, whose ULID will be the video's unless it replaces the source of another one.
 * @throws ValidationFailed when the template or the video is not one of the user's, or too many uploads are open;
 * Conflict when the source of the video cannot be replaced; QuotaExceeded; UploadExists, TokenRevoked for the upload of
 * a token
 */
export async function openUpload(
  user: User,
  store: Upload['store'],
  request: UploadRequest,
  token?: TokenUpload,
): Promise<Upload> {
  const { template: requested = '', replaces, metadata = {}, tags = [] } = request.metadata;
  const replaced =
    replaces === undefined ? undefined : await findReplaceable(user, replaces, request.metadata.template);
  // The video keeps its external IDs, and bytes count for its external user.
  const { externalUserId, externalResourceId } = replaced ?? request.metadata;
  const template = replaced?.templateUlid ?? requested;
  if (!replaced && !(await findUsableTemplate(user.ulid, template))) throw unknownTemplate();
  if (store === 'multipart' && request.from === undefined) requireKnownSize(user, request, token);
  const sourceOptions = sourceOptionsIn(request.metadata);
  const ulid = token?.direct.ulid ?? newUlid();
  const key = uploadKey(user.ulid, ulid, request.filename);
  const contentType = safeContentType(request.type);
  const upload: Upload = {
    ulid,
    ownerUlid: user.ulid,
    key,
    store,
    ...(request.from && { origin: 'ingest' as const }),
    ...(request.from && 'key' in request.from && { storageUlid: request.from.storageUlid }),
    ...(request.batch && { batchUlid: request.batch.ulid }),
    s3UploadId: store === 'multipart' ? await chosen('multipart upload', () => createMultipart(key, contentType)) : '',
    status: 'open',
    fileName: request.filename,
    contentType,
    ...(request.size && { sizeBytes: request.size }),
    templateUlid: template,
    ...(replaced && { replaces: replaced.ulid }),
    externalUserId,
    externalResourceId,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags.length > 0 && { tags }),
    ...(sourceOptions && { sourceOptions }),
    ...(token && tokenFields(token.direct)),
    createdAt: timestamp(),
  };
  try {
    await addUploadWithinLimit(upload, user.quota, { ofToken: token, from: request.from, batch: request.batch });
    return upload;
  } catch (error) {
    const isRefused = refusals.some((kind) => error instanceof kind);
    // After any other error the record may have been written. A batch then goes on behind it, and the bucket deletes
    // the multipart upload of one that was not. A client has no ID for it: close it.
    if (!isRefused && request.batch) throw error;
    if (!isRefused) {
      await closeUpload(upload, 'aborted').catch((failure: Error) => log.warn('could not close the upload', failure));
    }
    if (store === 'multipart') {
      await abortMultipart(upload).catch((failure: Error) => log.warn('could not abort the multipart upload', failure));
    }
    if (error instanceof TemplateGone) throw unknownTemplate();
    if (error instanceof StorageGone) throw unknownStorage();
    if (!(error instanceof TooManyOpenUploads)) throw error;
    throw new ValidationFailed({
      filename: [`At most ${uploadLimits.maxOpenUploads} uploads may be open: complete or abort some.`],
    });
  }
}

/** Without a size nothing bounds what the parts of an upload store before it is complete. */
function requireKnownSize({ quota }: User, { size }: UploadRequest, token: TokenUpload | undefined): void {
  if (size || !needsSize(token?.direct.maxBytes, quota)) return;
  const why = typeof token?.direct.maxBytes === 'number' ? 'the upload token has max_bytes' : 'the user has a quota';
  throw new ValidationFailed({ size: [`The size field is required, because ${why}: give the bytes of the file.`] });
}

const refusals = [BatchMoved, TemplateGone, StorageGone, TooManyOpenUploads, QuotaExceeded, UploadExists, TokenRevoked];

const tokenFields = ({ maxBytes, expiresAt }: DirectUpload) => ({
  ...(maxBytes !== null && { maxBytes }),
  tokenExpiresAt: timestamp(expiresAt * 1000),
});

const unknownTemplate = (): ValidationFailed => unknownRecord('metadata.template');

/** The media type if it is safe in a header, else the default. Nothing depends on it. */
const safeContentType = (type: string | null | undefined): string =>
  type && /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+="?[\w.+, -]+"?)*$/.test(type) ? type : 'application/octet-stream';

/** API Gateway times out after 30 s, and Uppy 5 aborts the upload when it gets a 503. */
const completionTimeoutMilliseconds = 25_000;

/**
 * Completes an upload. A completed upload is left as it is. If the store needs more than 25 s since the request began,
 * this returns while the store is still joining the parts.
 * @param quota of the owner, which the real size counts against
 * @throws ValidationFailed on `parts`, PayloadTooLarge, QuotaExceeded, NotFound; Conflict when the source that it is to
 * replace cannot be replaced now
 */
export async function completeUpload(
  upload: Upload,
  quota: Quota | null,
  sent: SentPart[],
  startedAtMilliseconds: number,
): Promise<void> {
  if (upload.status === 'stored') return;
  if (upload.status === 'open') await requireStillReplaceable(upload);
  const stored = await listParts(upload);
  if (!stored) return requireObject(upload);
  const parts = checkParts(sent, stored, upload.maxBytes);
  if (!(await startCompleting(upload, parts, quota))) throw new NotFound();
  const joined = joinParts(upload, parts);
  const remaining = Math.max(0, startedAtMilliseconds + completionTimeoutMilliseconds - now());
  const timer = new AbortController();
  try {
    const first = await Promise.race([joined, sleep(remaining, 'timeout' as const, { signal: timer.signal })]);
    // The store's event or the reconciler handles the result that arrives after the response.
    if (first === 'timeout')
      joined.catch((error: Error) => log.warn('completion failed after the response', { error }));
  } finally {
    timer.abort();
  }
}

/**
 * Completes the upload of an ingest with the parts that its worker has listed. Other parts are of earlier attempts, and
 * the store drops them.
 * @throws ValidationFailed on `parts`, PayloadTooLarge, QuotaExceeded
 */
export async function completeFetched(upload: Upload, quota: Quota | null, sent: SentPart[]): Promise<void> {
  const listed = new Set(sent.map(({ PartNumber }) => PartNumber));
  const stored = await listParts(upload);
  // Undefined: another call has joined the parts, or aborted the upload.
  if (!stored) return;
  const parts = checkParts(
    sent,
    stored.filter(({ PartNumber }) => listed.has(PartNumber)),
  );
  if (await startCompleting(upload, parts, quota)) await joinParts(upload, parts);
}

async function joinParts(upload: Upload, parts: StoredPart[]): Promise<void> {
  try {
    if (!(await completeMultipart(upload, parts))) await requireObject(upload);
  } catch (error) {
    if (!(error instanceof PartsRefused)) throw error;
    await reopenUpload(upload);
    throw new ValidationFailed({ parts: [error.message] });
  }
}

/** The store deletes a multipart upload when it is completed or aborted: an object means that it was completed. */
async function requireObject(upload: Upload): Promise<void> {
  if ((await objectBytes(upload.key)) === undefined) throw new NotFound();
}

/**
 * Aborts an upload and deletes its parts. Idempotent: a second call deletes the parts that an interrupted first call
 * left.
 * @throws Conflict when it is being completed, or is complete
 */
export async function abortUpload(upload: Upload): Promise<void> {
  if (!(await closeAsAborted(upload))) throw new Conflict('upload_complete', 'The upload is complete.');
  if (upload.store === 'multipart') await abortMultipart(upload);
}

/** True also when a concurrent call aborted it. */
const closeAsAborted = async (upload: Upload): Promise<boolean> =>
  upload.status === 'aborted' ||
  (await closeUpload(upload, 'aborted')) ||
  (await findUpload(upload.ownerUlid, upload.ulid))?.status === 'aborted';
