import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { now, nowSeconds } from '../../../shared/clock.ts';
import { uploadLimits } from '../../common/limits.ts';
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
import { type Upload, uploadRecord } from '../records.ts';
import { uploadActivity } from '../writes/activity-writes.ts';
import { templateReferenceWrite } from '../writes/template-reference-writes.ts';

const daySeconds = 24 * 3600;

/** How long an upload may stay open. The bucket drops the parts of a multipart upload after as long. */
const openSeconds = { multipart: 7 * daySeconds, post: 2 * 3600 } as const;

/** The user has as many uploads open as one may have. */
export class TooManyOpenUploads extends Error {
  override readonly name = 'TooManyOpenUploads';
}

/** The upload's template was deleted between being looked up and being referred to. */
export class TemplateGone extends Error {
  override readonly name = 'TemplateGone';
}

/** A user's upload that was not aborted; undefined also when it is another's. */
export async function findUpload(ownerUlid: string, ulid: string): Promise<Upload | undefined> {
  const upload = await getItem(uploadRecord, keys.upload(ulid));
  return upload?.ownerUlid === ownerUlid ? upload : undefined;
}

/** An upload of any user and status. */
export const findAnyUpload = (ulid: string): Promise<Upload | undefined> => getItem(uploadRecord, keys.upload(ulid));

/**
 * Stores a new upload and counts it for its owner and its template.
 * @throws TooManyOpenUploads, TemplateGone
 */
export async function addUpload(upload: Upload): Promise<void> {
  const { ulid, ownerUlid, templateUlid } = upload;
  const writes: Write[] = [
    {
      update: keys.userCounts(ownerUlid),
      add: { openUploads: 1 },
      when: { below: { openUploads: uploadLimits.maxOpenUploads } },
    },
    templateReferenceWrite(templateUlid, 1),
    { put: { ...keys.upload(ulid), ...owned(ownerUlid, 'upload', ulid), kind: 'upload', ...upload } },
    uploadActivity({ ulid: ownerUlid }, upload, 'created', `Opened the upload of ${upload.fileName}`),
  ];
  for (let attempt = 1; ; attempt++) {
    try {
      await transact(writes);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!error.failed.includes(0)) throw new TemplateGone();
      // Uploads that nobody goes on with are only in the way here, so this is where they are given up.
      if (attempt > 1 || (await closeStaleUploads(ownerUlid)) === 0) throw new TooManyOpenUploads();
    }
  }
}

/** Marks an upload as being completed, with the parts it is made of. False when it was aborted meanwhile. */
export async function startCompleting(upload: Upload, parts: UploadPart[]): Promise<boolean> {
  await write({
    put: {
      ...keys.uploadParts(upload.ulid),
      kind: 'uploadParts',
      // 10,000 parts are 600 kB as they are, more than an item may have.
      packed: gzipSync(JSON.stringify(parts.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag]))),
      expiresAt: nowSeconds() + daySeconds,
    },
  });
  return moved(upload, { set: { status: 'completing' }, when: { oneOf: { status: ['open', 'completing'] } } });
}

/** Takes back a completion that the store refused. */
export const reopenUpload = (upload: Upload): Promise<boolean> =>
  moved(upload, { set: { status: 'open' }, when: { equals: { status: 'completing' } } });

/** Why an upload is given up, and how its owner's history tells it; not at all when the owner goes too. */
const endings = {
  aborted: ['deleted', 'Aborted the upload of'],
  displaced: ['deleted', 'Gave up for a new one the idle upload of'],
  expired: ['expired', 'Nothing more came of the upload of'],
  ownerDeleted: undefined,
} as const;

/** Gives an upload up and frees what it was counted for. False when it is not open any more. */
export async function closeUpload(upload: Upload, why: keyof typeof endings): Promise<boolean> {
  const [event, description] = endings[why] ?? [];
  try {
    await transact([
      {
        update: keys.upload(upload.ulid),
        set: { status: 'aborted', expiresAt: nowSeconds() + daySeconds },
        remove: ['ownerKey', 'ownerSort'],
        when: { equals: { status: 'open' } },
      },
      { update: keys.userCounts(upload.ownerUlid), add: { openUploads: -1 } },
      { update: keys.templateCounts(upload.templateUlid), add: { references: -1 } },
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

/** A page of those, newest first, and how many there are. */
export async function pageOfOpenUploads(
  ownerUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; uploads: Upload[] }> {
  const { ownerKey } = owned(ownerUlid, 'upload', '');
  const found = await queryIndex('byOwner', ownerKey, { descending: true });
  return { total: found.length, uploads: await openAmong(found.slice(offset, offset + limit)) };
}

/** The index that a list is read from may lag behind the records. */
const openAmong = async (found: Item[]): Promise<Upload[]> =>
  (await getItems(found))
    .map((item) => uploadRecord.parse(item))
    .filter(({ status }) => status === 'open' || status === 'completing');

export type UploadPart = { PartNumber: number; Size: number; ETag: string };

const partsRecord = z.object({ packed: z.instanceof(Uint8Array), expiresAt: z.number() });
const packedParts = z.array(z.tuple([z.number(), z.number(), z.string()]));

/** The parts that an upload was completed with, for 24 h. */
export async function findCompletedParts(ulid: string): Promise<UploadPart[] | undefined> {
  const item = await getItem(partsRecord, keys.uploadParts(ulid));
  if (!item || item.expiresAt <= nowSeconds()) return undefined;
  return packedParts
    .parse(JSON.parse(gunzipSync(item.packed).toString()))
    .map(([PartNumber, Size, ETag]) => ({ PartNumber, Size, ETag }));
}

/** When an upload has been open for as long as one may be, and the store drops what there is of it. */
export const endOf = ({ createdAt, store }: Upload): number => Date.parse(createdAt) + openSeconds[store] * 1000;

/** Whether an upload is open for longer than one may be. */
export const isStale = (upload: Upload): boolean => endOf(upload) < now();

/** Gives up a user's uploads that have been open for longer than they may. Returns how many those were. */
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
