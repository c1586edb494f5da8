import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { keyedRequest } from '../../common/keyed-request.ts';
import { uploadLimits } from '../../common/limits.ts';
import { tryWrite } from '../items/conditional.ts';
import {
  ConditionFailed,
  getItem,
  getItems,
  type Item,
  queryIndex,
  transact,
  type Write,
  write,
} from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { anyAmount, type Claim, requireQuota, reserve } from '../quotas/reserve.ts';
import { type BatchStep, type IngestSource, type Quota, type Upload, uploadRecord } from '../records.ts';
import { uploadActivity } from '../writes/activity-writes.ts';
import { batchMoved } from '../writes/ingest-batch-writes.ts';
import { ingestCreated, ingestFailed, ingestRemoved } from '../writes/ingest-writes.ts';
import { uploadRelease } from '../writes/reservation-writes.ts';
import { templateReferenceWrite } from '../writes/template-reference-writes.ts';
import { openUploadFields, openUploadItem, uploadCheck } from '../writes/upload-writes.ts';
import { isStale } from './upload-end.ts';

const daySeconds = 24 * 3600;

/** The user has reached the limit of open uploads. */
export class TooManyOpenUploads extends Error {
  override readonly name = 'TooManyOpenUploads';
}

/** The upload's template was deleted after it was read. */
export class TemplateGone extends Error {
  override readonly name = 'TemplateGone';
}

/** The upload of a token was begun by another call. */
export class UploadExists extends Error {
  override readonly name = 'UploadExists';
}

/** The owner has revoked the token that the upload was begun with. */
export class TokenRevoked extends Error {
  override readonly name = 'TokenRevoked';
}

/** Another call has continued the batch of an ingest, or it has ended. */
export class BatchMoved extends Error {
  override readonly name = 'BatchMoved';
}

/** What an upload comes from: a token, or the source of an ingest, perhaps of a batch. */
export type UploadOrigin = {
  ofToken?: TokenUpload | undefined;
  from?: IngestSource | undefined;
  batch?: BatchStep | undefined;
};

/** The storage of an ingest was deleted after it was read. */
export class StorageGone extends Error {
  override readonly name = 'StorageGone';
}

/** A user's upload. Undefined when it is another user's. */
export async function findUpload(ownerUlid: string, ulid: string): Promise<Upload | undefined> {
  const upload = await getItem(uploadRecord, keys.upload(ulid));
  return upload?.ownerUlid === ownerUlid ? upload : undefined;
}

/** An upload of any user and status. */
export const findAnyUpload = (ulid: string): Promise<Upload | undefined> => getItem(uploadRecord, keys.upload(ulid));

/**
 * Stores a new upload, counts it for its owner and its template, and holds its declared size of the owner's quota.
 * @param ofToken for the upload of a token
 * @param from of an ingest: where its file is
 * @throws TooManyOpenUploads, TemplateGone, QuotaExceeded; UploadExists, TokenRevoked for the upload of a token;
 * StorageGone for an ingest from a storage
 */
export async function addUpload(
  upload: Upload,
  quota: Quota | null,
  { ofToken, from, batch }: UploadOrigin = {},
): Promise<void> {
  const { ulid, ownerUlid, templateUlid } = upload;
  const writes: Write[] = [
    {
      update: keys.userCounts(ownerUlid),
      add: { openUploads: 1 },
      when: { below: { openUploads: uploadLimits.maxOpenUploads } },
    },
    templateReferenceWrite(templateUlid, 1),
    {
      put: openUploadItem(upload),
      ...(ofToken && { when: ofToken.replaces ? { equals: { status: 'aborted' } } : { exists: false } }),
    },
    uploadActivity({ ulid: ownerUlid }, upload, 'created', opened(upload)),
    ...(ofToken ? [{ check: keys.directUpload(ulid), when: { exists: true, absent: ['revokedAt'] } }] : []),
    ...(batch === undefined ? [] : [batchMoved(batch)]),
    ...(from === undefined ? [] : ingestCreated(upload, from)),
  ];
  for (let attempt = 1; ; attempt++) {
    try {
      await reserve({ ulid: ownerUlid, quota }, [claimOf(upload, upload.sizeBytes ?? 0)], {
        writes,
        needed: anyAmount,
      });
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (error.failed.includes(2)) throw new UploadExists();
      if (ofToken && error.failed.includes(4)) throw new TokenRevoked();
      if (batch && error.failed.includes(4)) throw new BatchMoved();
      if (upload.storageUlid !== undefined && error.failed.includes(writes.length - 1)) throw new StorageGone();
      if (!error.failed.includes(0)) throw new TemplateGone();
      // Abandoned uploads count until they are closed: close them now and retry.
      if (attempt > 1 || (await closeStaleUploads(ownerUlid)) === 0) throw new TooManyOpenUploads();
    }
  }
}

const opened = ({ fileName, sourceVideoUlid }: Upload): string =>
  sourceVideoUlid === undefined ? `Opened the upload of ${fileName}` : `Made the clip ${fileName} of a video`;

/** The upload of a token has the token's ULID, so it may replace an aborted upload of that ULID. */
export type TokenUpload = { replaces: boolean };

/** How many uploads of a user are open. */
export async function countOpenUploads(ownerUlid: string): Promise<number> {
  const counts = await getItem(z.object({ openUploads: z.number() }), keys.userCounts(ownerUlid));
  return counts?.openUploads ?? 0;
}

/** Whether a user has as many open uploads as are allowed. */
export const hasAllOpenUploads = async (ownerUlid: string): Promise<boolean> =>
  (await countOpenUploads(ownerUlid)) >= uploadLimits.maxOpenUploads;

const claimOf = ({ ownerUlid, ulid }: Upload, bytes: number): Claim => ({
  key: keys.uploadReservation(ownerUlid, ulid),
  amounts: { uploadBytes: bytes, cpuMilliseconds: 0 },
});

/**
 * Checks that the quota allows an upload of this size, without holding it.
 * @throws QuotaExceeded
 */
export const requireUploadQuota = (upload: Upload, bytes: number, quota: Quota | null): Promise<void> =>
  requireQuota({ ulid: upload.ownerUlid, quota }, [claimOf(upload, bytes)], anyAmount);

/**
 * Holds the real size of an upload that began without one: of a form when its object is stored, of an ingest when the
 * server of the URL has named it.
 * @throws QuotaExceeded
 */
export async function holdKnownBytes(upload: Upload, bytes: number, quota: Quota | null): Promise<void> {
  const check: Write = { check: keys.upload(upload.ulid), when: { oneOf: { status: ['open', 'completing'] } } };
  try {
    await reserve({ ulid: upload.ownerUlid, quota }, [claimOf(upload, bytes)], { writes: [check] });
  } catch (error) {
    // Another call has made the video, or the upload was aborted: the caller finds out.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * Marks an upload as being completed, stores its parts, and holds their size instead of the declared one. False when it
 * was aborted.
 * @throws QuotaExceeded
 */
export async function startCompleting(upload: Upload, parts: UploadPart[], quota: Quota | null): Promise<boolean> {
  const bytes = parts.reduce((sum, { Size }) => sum + Size, 0);
  const owner = { ulid: upload.ownerUlid, quota };
  await write({
    put: {
      ...keys.uploadParts(upload.ulid),
      kind: 'uploadParts',
      // 10,000 parts are 600 kB uncompressed, more than an item may have.
      packed: gzipSync(JSON.stringify(parts.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag]))),
      expiresAt: nowSeconds() + daySeconds,
    },
  });
  const completing: Write = {
    update: keys.upload(upload.ulid),
    set: { status: 'completing', ...uploadCheck(upload.ulid) },
    when: { oneOf: { status: ['open', 'completing'] } },
  };
  const completed = uploadActivity(owner, upload, 'updated', `Completed the upload of ${upload.fileName}`, {
    size: bytes,
  });
  // The first request was allowed by the quota, and has its entry.
  const isRepeated = upload.status === 'completing';
  if (isRepeated && (await tryWrite({ ...completing, when: { equals: { status: 'completing' } } }))) return true;
  try {
    await reserve(owner, [claimOf(upload, bytes)], { writes: [completing, completed], needed: anyAmount });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/**
 * Stores which sizes the parts of an upload can have. False when another call was faster, or it is not open. Later
 * lists are shorter, so the length shows whether the stored list is still the one that was read.
 */
export const setPartSizes = (upload: Upload, partSizes: readonly number[]): Promise<boolean> =>
  moved(upload, {
    set: { partSizes },
    when: {
      equals: { status: 'open', s3UploadId: upload.s3UploadId },
      ...(upload.partSizes ? { length: { partSizes: upload.partSizes.length } } : { absent: ['partSizes'] }),
    },
  });

/** Reopens an upload whose completion the store refused. */
export const reopenUpload = (upload: Upload): Promise<boolean> =>
  moved(upload, {
    set: { status: 'open', ...uploadCheck(upload.ulid) },
    when: { equals: { status: 'completing' } },
  });

/** Why an upload is closed, with the event in its owner's activity. None when the owner is deleted too. */
const endings = {
  aborted: ['deleted', 'Aborted the upload of'],
  displaced: ['deleted', 'Gave up for a new one the idle upload of'],
  expired: ['expired', 'Nothing more came of the upload of'],
  notFetched: ['failed', 'Could not fetch the file of the upload of'],
  ownerDeleted: undefined,
} as const;

/**
 * Closes an upload and removes it from the counts. False when it is not open any more.
 * @param error why the file of an ingest was not fetched
 */
export async function closeUpload(
  upload: Upload,
  why: keyof typeof endings,
  error = 'The ingest expired before its file was fetched.',
): Promise<boolean> {
  const [event, description] = endings[why] ?? [];
  // A request for a new upload may close another one, which is not what it asks for.
  const close = (writes: Write[]): Promise<void> => keyedRequest.exit(() => transact(writes));
  try {
    await close([
      {
        update: keys.upload(upload.ulid),
        set: { status: 'aborted', expiresAt: nowSeconds() + daySeconds },
        remove: [...openUploadFields],
        // The token of a direct upload may have begun another one of this ULID since the read.
        when: { equals: { status: 'open', s3UploadId: upload.s3UploadId } },
      },
      { update: keys.userCounts(upload.ownerUlid), add: { openUploads: -1 } },
      { update: keys.templateCounts(upload.templateUlid), add: { references: -1 } },
      uploadRelease(upload),
      ...(upload.origin === 'ingest'
        ? why === 'aborted' || why === 'ownerDeleted'
          ? ingestRemoved(upload)
          : ingestFailed(upload, error)
        : []),
      ...(event
        ? [uploadActivity({ ulid: upload.ownerUlid }, upload, event, `${description} ${upload.fileName}`)]
        : []),
    ]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** A user's uploads that are neither stored nor aborted, oldest first. */
export async function listOpenUploads(ownerUlid: string): Promise<Upload[]> {
  return openAmong(await queryIndex('byOwner', owned(ownerUlid, 'upload', '').ownerKey));
}

/** A page of a user's open uploads, newest first, with their total number. */
export async function pageOfOpenUploads(
  ownerUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; uploads: Upload[] }> {
  const { ownerKey } = owned(ownerUlid, 'upload', '');
  const found = await queryIndex('byOwner', ownerKey, { descending: true });
  return { total: found.length, uploads: await openAmong(found.slice(offset, offset + limit)) };
}

/** The index lags behind the records, so the status is checked again. */
const openAmong = async (found: Item[]): Promise<Upload[]> =>
  (await getItems(found))
    .map((item) => uploadRecord.parse(item))
    .filter(({ status }) => status === 'open' || status === 'completing');

export type UploadPart = { PartNumber: number; Size: number; ETag: string };

const partsRecord = z.object({ packed: z.instanceof(Uint8Array), expiresAt: z.number() });
const packedParts = z.array(z.tuple([z.number(), z.number(), z.string()]));

/** The parts of a completed upload, for 24 hours. */
export async function findCompletedParts(ulid: string): Promise<UploadPart[] | undefined> {
  const item = await getItem(partsRecord, keys.uploadParts(ulid));
  if (!item || item.expiresAt <= nowSeconds()) return undefined;
  return packedParts
    .parse(JSON.parse(gunzipSync(item.packed).toString()))
    .map(([PartNumber, Size, ETag]) => ({ PartNumber, Size, ETag }));
}

/** Closes a user's expired uploads. Returns how many. */
export async function closeStaleUploads(ownerUlid: string): Promise<number> {
  const stale = (await listOpenUploads(ownerUlid)).filter(isStale);
  const closed = await Promise.all(stale.map((upload) => closeUpload(upload, 'expired')));
  return closed.filter(Boolean).length;
}

async function moved(upload: Upload, change: Omit<Extract<Write, { update: unknown }>, 'update'>): Promise<boolean> {
  try {
    await write({ update: keys.upload(upload.ulid), ...change });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
