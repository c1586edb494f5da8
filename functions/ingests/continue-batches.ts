import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { ApiError } from '../common/errors.ts';
import { keyProblem, sourceInStorage } from '../storages/object-in-storage.ts';
import { openStorage } from '../storages/open-storage.ts';
import { explainStoreError, StorageError } from '../storages/storage-error.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { endBatch, findBatch, type IngestBatch, listBatches, skipKeys } from '../table/ingests/ingest-batch-table.ts';
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

/** Continues the listing of a user's batches, oldest first. True while one is listing. */
export async function continueBatches(userUlid: string): Promise<boolean> {
  const listing = (await listBatches(userUlid)).filter(({ status }) => status === 'listing').toReversed();
  let remain = false;
  for (const { ulid } of listing) {
    const batch = await findBatch(userUlid, ulid);
    if (batch?.status === 'listing' && !(await continueBatch(batch))) remain = true;
  }
  return remain;
}

/** True when it has ended. */
async function continueBatch(batch: IngestBatch): Promise<boolean> {
  const storage = await findStorage(batch.ownerUlid, batch.storageUlid);
  if (!storage) return fail(batch, 'The storage was deleted.');
  try {
    return await listPages(batch, storage);
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

async function listPages(stored: IngestBatch, storage: Storage): Promise<boolean> {
  let batch = stored;
  let room = maxOpenOfBatches - (await countOpenUploads(batch.ownerUlid));
  const open = batch.created - batch.stored - batch.failed - batch.removed;
  if (room <= 0 || room < Math.min(fewestOfList, open)) return false;
  // Keys that no ingest is made of now are listed again by the next call. Where keys are skipped, pages grow.
  let pageKeys = room;
  const { client } = await openStorage(storage);
  let token: string | undefined;
  let emptyPages = 0;
  for (let page = 1; page <= maxPages; page++) {
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
