import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { now } from '../../shared/clock.ts';
import { ApiError } from '../common/errors.ts';
import { keyProblem, maxKeyBytes, sourceInStorage } from '../storages/object-in-storage.ts';
import { openStorage } from '../storages/open-storage.ts';
import { explainStoreError, StorageError } from '../storages/storage-error.ts';
import { findUser } from '../table/accounts/user-table.ts';
import {
  claimListing,
  endBatch,
  endClaim,
  type IngestBatch,
  listListing,
  skipKeys,
} from '../table/ingests/ingest-batch-table.ts';
import { findStorage, type Storage } from '../table/storages/storage-table.ts';
import { BatchMoved, countOpenUploads } from '../table/uploads/upload-table.ts';
import { openUpload, type UploadRequest } from '../uploads/upload-lifecycle.ts';

/** Open uploads of a user up to which batches create ingests: half of the limit is left for other uploads. */
const maxOpenOfBatches = 50;
/** Ingests that one list makes at least, unless fewer are left to end: they end one at a time. */
const fewestOfList = 25;
/** The most that stores list at once. */
const maxPageKeys = 1000;
/** Of one call. The next one continues. */
const maxPages = 40;
/** A list may have pages without keys, but not only such. */
const maxEmptyPages = 10;

/** Of one call, for all batches of a user: a store may be as slow as it likes, and the user's other ingests wait. */
const listingMilliseconds = 30_000;
/** A call that dies lets others wait for so long. */
const claimMilliseconds = 3 * listingMilliseconds;

/**
 * Continues the listing of a user's batches, oldest first, one call at a time. True while one is listing.
 */
export async function continueBatches(userUlid: string): Promise<boolean> {
  const listing = await listListing(userUlid);
  if (listing.length === 0) return false;
  if (!(await claimListing(userUlid, claimMilliseconds))) return true;
  const endsAt = now() + listingMilliseconds;
  let remain = false;
  try {
    for (const batch of listing) {
      if (now() >= endsAt || !(await continueBatch(batch, endsAt))) remain = true;
    }
  } finally {
    await endClaim(userUlid);
  }
  return remain;
}

/** True when it has ended. */
async function continueBatch(batch: IngestBatch, endsAt: number): Promise<boolean> {
  const storage = await findStorage(batch.ownerUlid, batch.storageUlid);
  if (!storage) return fail(batch, 'The storage was deleted.');
  if (!batch.prefix.startsWith(storage.prefix)) {
    return fail(batch, `The storage "${storage.name}" has another prefix now, which the prefix does not begin with.`);
  }
  try {
    return await listPages(batch, storage, endsAt);
  } catch (error) {
    if (error instanceof BatchMoved) return false;
    if (error instanceof ListRefused) return fail(batch, `The storage "${storage.name}" ${error.message}`);
    if (error instanceof ApiError && error.statusCode < 500) return fail(batch, error.message);
    if (!(error instanceof StorageError)) throw error;
    if (error.isTransient) return false;
    return fail(batch, `The storage "${storage.name}" cannot be listed. ${error.message}`);
  }
}

async function fail(batch: IngestBatch, error: string): Promise<true> {
  await endBatch(batch, 'failed', { error });
  return true;
}

/** A list that is none of the API of S3. The message continues a sentence. */
class ListRefused extends Error {
  override readonly name = 'ListRefused';
}

async function listPages(stored: IngestBatch, storage: Storage, endsAt: number): Promise<boolean> {
  let batch = stored;
  let room = maxOpenOfBatches - (await countOpenUploads(batch.ownerUlid));
  const open = batch.created - batch.stored - batch.failed - batch.removed;
  if (room <= 0 || room < Math.min(fewestOfList, open)) return false;
  // Keys that no ingest is made of now are listed again by the next call. Where keys are skipped, pages grow.
  let pageKeys = room;
  const { client } = await openStorage(storage);
  let token: string | undefined;
  let emptyPages = 0;
  for (let page = 1; page <= maxPages && now() < endsAt; page++) {
    const list: ListObjectsV2CommandOutput = await client
      .send(
        new ListObjectsV2Command({
          Bucket: storage.bucket,
          Prefix: batch.prefix,
          MaxKeys: pageKeys,
          ...(token === undefined
            ? batch.position !== '' && { StartAfter: batch.position }
            : { ContinuationToken: token }),
        }),
      )
      .catch((error: unknown) => {
        throw explainStoreError(error);
      });
    let last = batch.position;
    let skipped = 0;
    for (const { Key = '', Size = 0 } of list.Contents ?? []) {
      requireNext(batch, last, Key);
      last = Key;
      if (Size === 0 || keyProblem(storage, Key) !== undefined) {
        skipped++;
        continue;
      }
      if (room <= 0) return false;
      if (!(await createIngest(batch, storage, { position: Key, skipped }))) return false;
      room--;
      batch = { ...batch, position: Key, created: batch.created + 1, skipped: batch.skipped + skipped };
      skipped = 0;
      if (batch.created >= batch.limit) return (await endBatch(batch, 'listed')) || true;
    }
    if (skipped > 0) {
      if (!(await skipKeys(batch, last, skipped))) return false;
      batch = { ...batch, position: last, skipped: batch.skipped + skipped };
    }
    if (!list.IsTruncated) return (await endBatch(batch, 'listed')) || true;
    if (room <= 0) return false;
    pageKeys = Math.min(2 * pageKeys, maxPageKeys);
    if ((list.Contents ?? []).length > 0) {
      // The next page begins after the stored position, so that another call could read it too.
      token = undefined;
      emptyPages = 0;
      continue;
    }
    const next = list.NextContinuationToken;
    if (next === undefined || next === token || ++emptyPages >= maxEmptyPages) {
      throw new ListRefused('says that its list goes on, and sends no more keys.');
    }
    token = next;
  }
  return false;
}

/** Keys are below the prefix, and each after the one before in the order of their bytes. */
function requireNext({ prefix }: IngestBatch, last: string, key: string): void {
  if (!key.startsWith(prefix)) throw new ListRefused('lists keys that are not below the prefix.');
  if (Buffer.byteLength(key) > maxKeyBytes) throw new ListRefused('lists keys that are longer than those of S3.');
  if (Buffer.compare(Buffer.from(key), Buffer.from(last)) <= 0) throw new ListRefused('lists keys more than once.');
}

/** False when there is no room for another upload. */
async function createIngest(
  batch: IngestBatch,
  storage: Storage,
  { position, skipped }: { position: string; skipped: number },
): Promise<boolean> {
  const owner = await findUser(batch.ownerUlid);
  if (!owner) return false;
  const filename = [...(position.split('/').at(-1) ?? '').trim()].slice(-255).join('') || 'video';
  try {
    await openUpload(owner, 'multipart', {
      filename,
      metadata: JSON.parse(batch.metadata) as UploadRequest['metadata'],
      from: sourceInStorage(storage, position),
      batch: { ulid: batch.ulid, before: batch.position, position, skipped },
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (await countOpenUploads(batch.ownerUlid)) >= maxOpenOfBatches) return false;
    throw error;
  }
}
