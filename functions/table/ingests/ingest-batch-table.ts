import * as z from 'zod';
import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { Conflict } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import { held, tryWrite } from '../items/conditional.ts';
import { ConditionFailed, getItem, getItems, queryIndex, transact } from '../items/items.ts';
import { keys, listKey, owned } from '../items/keys.ts';
import type { User } from '../records.ts';
import { unknownStorage } from '../storages/storage-table.ts';
import { uploadActivity } from '../writes/activity-writes.ts';
import { endedIngestSeconds, ingestingUser } from '../writes/ingest-writes.ts';
import { storageUseBegins, storageUseEnds } from '../writes/storage-use-writes.ts';

/** Ingests of all objects below a prefix of a storage, created one after the other while the keys are listed. */
const batchRecord = z.object({
  ulid: z.string(),
  ownerUlid: z.string(),
  storageUlid: z.string(),
  prefix: z.string(),
  /** JSON of the upload metadata of each ingest */
  metadata: z.string(),
  /** the most ingests that it creates */
  limit: z.int(),
  /** `listed`: it creates no more ingests, and those that it has created go on */
  status: z.enum(['listing', 'listed', 'failed', 'cancelled']),
  /** the last key that was looked at */
  position: z.string(),
  created: z.int(),
  skipped: z.int(),
  /** of the created ingests, by how they have ended */
  stored: z.int(),
  failed: z.int(),
  removed: z.int(),
  error: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
});
export type IngestBatch = z.infer<typeof batchRecord>;

/** Batches of a user whose keys are being listed. Each is listed again every minute. */
const maxListing = 20;
const batchPrefix = 'batch_';

/** @throws Conflict when as many are being listed, ValidationFailed when the storage was deleted after it was read */
export async function createBatch(
  fields: Pick<IngestBatch, 'storageUlid' | 'prefix' | 'metadata' | 'limit'>,
  owner: User,
): Promise<IngestBatch> {
  const batch: IngestBatch = {
    ulid: newUlid(),
    ownerUlid: owner.ulid,
    ...fields,
    status: 'listing',
    position: '',
    created: 0,
    skipped: 0,
    stored: 0,
    failed: 0,
    removed: 0,
    error: null,
    createdAt: chosen('time', timestamp),
    endedAt: null,
  };
  const { ulid, storageUlid, prefix } = batch;
  const { set, ...user } = ingestingUser(owner.ulid);
  // Users who have had ingests before there were batches have no count of them.
  await tryWrite({ ...user, setIfAbsent: { count: 0, listing: 0, listedUntil: '' } });
  try {
    await transact([
      {
        put: { ...keys.ingestBatch(ulid), ...owned(owner.ulid, 'ingest-batch', ulid), kind: 'ingest-batch', ...batch },
      },
      {
        ...user,
        set: { ...set, [`${batchPrefix}${ulid}`]: batch.createdAt },
        add: { listing: 1 },
        when: { below: { listing: maxListing } },
      },
      storageUseBegins(storageUlid, 'ingests', [owner.ulid]),
      uploadActivity(owner, { ulid }, 'created', `Began to ingest all objects below ${prefix}`, { prefix }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if ((await findListing(owner.ulid)).length < maxListing) throw unknownStorage();
    const message = `The keys of ${maxListing} batches are being listed. Wait until one has ended, or cancel one.`;
    throw new Conflict('ingest_batch_limit', message);
  }
  return batch;
}

/** The batches of a user whose keys are being listed, oldest first. */
async function findListing(userUlid: string): Promise<string[]> {
  const names = Object.keys((await getItem(z.looseObject({}), keys.ingestSlots(userUlid))) ?? {});
  return names.flatMap((name) => (name.startsWith(batchPrefix) ? [name.slice(batchPrefix.length)] : [])).toSorted();
}

export async function listListing(userUlid: string): Promise<IngestBatch[]> {
  const ulids = await findListing(userUlid);
  const items = await getItems(ulids.map((ulid) => keys.ingestBatch(ulid)));
  const batches = items.map((item) => batchRecord.parse(item));
  return batches.filter(({ status }) => status === 'listing').toSorted((a, b) => (a.ulid < b.ulid ? -1 : 1));
}

/** Lets one call list the keys of a user's batches, for a time. False while another call does. */
export const claimListing = (userUlid: string, milliseconds: number): Promise<boolean> =>
  tryWrite({
    update: keys.ingestSlots(userUlid),
    set: { listedUntil: timestamp(now() + milliseconds) },
    when: { below: { listedUntil: timestamp() } },
  });

export const endClaim = (userUlid: string): Promise<boolean> =>
  tryWrite({ update: keys.ingestSlots(userUlid), set: { listedUntil: '' }, when: { exists: true } });

/** A user's batch. */
export async function findBatch(ownerUlid: string, ulid: string): Promise<IngestBatch | undefined> {
  const batch = await getItem(batchRecord, keys.ingestBatch(ulid));
  return batch?.ownerUlid === ownerUlid ? batch : undefined;
}

/** A user's batches of the last 30 days, newest first, at most `limit`. */
export async function listBatches(ownerUlid: string, limit: number): Promise<IngestBatch[]> {
  const found = await queryIndex('byOwner', listKey(ownerUlid, 'ingest-batch'), { descending: true, limit });
  return (await getItems(found)).map((item) => batchRecord.parse(item));
}

/** Stores that the keys up to a position are skipped. False when another call was faster. */
export const skipKeys = (
  { ulid, position: before }: IngestBatch,
  position: string,
  skipped: number,
): Promise<boolean> =>
  tryWrite({
    update: keys.ingestBatch(ulid),
    set: { position },
    add: { skipped },
    when: { equals: { status: 'listing', position: before } },
  });

/** Ends the listing of a batch. False when it has ended. */
export const endBatch = (
  { ulid, ownerUlid, storageUlid }: IngestBatch,
  status: 'listed' | 'failed' | 'cancelled',
  { error = null, by }: { error?: string | null; by?: User } = {},
): Promise<boolean> =>
  held(() =>
    transact([
      {
        update: keys.ingestBatch(ulid),
        set: { status, error, endedAt: timestamp(), expiresAt: nowSeconds() + endedIngestSeconds },
        when: { equals: { status: 'listing' } },
      },
      { update: keys.ingestSlots(ownerUlid), remove: [`${batchPrefix}${ulid}`], add: { listing: -1 } },
      storageUseEnds(storageUlid, 'ingests'),
      ...(by ? [uploadActivity(by, { ulid }, 'deleted', 'Cancelled the ingest of all objects below a prefix')] : []),
    ]),
  );
