import * as z from 'zod';
import { nowSeconds, timestamp } from '../../../shared/clock.ts';
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

/** @throws ValidationFailed when the storage was deleted after it was read */
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
  try {
    await transact([
      {
        put: { ...keys.ingestBatch(ulid), ...owned(owner.ulid, 'ingest-batch', ulid), kind: 'ingest-batch', ...batch },
      },
      ingestingUser(owner.ulid),
      storageUseBegins(storageUlid, 'ingests', [owner.ulid]),
      uploadActivity(owner, { ulid }, 'created', `Began to ingest all objects below ${prefix}`, { prefix }),
    ]);
  } catch (error) {
    throw error instanceof ConditionFailed ? unknownStorage() : error;
  }
  return batch;
}

/** A user's batch. */
export async function findBatch(ownerUlid: string, ulid: string): Promise<IngestBatch | undefined> {
  const batch = await getItem(batchRecord, keys.ingestBatch(ulid));
  return batch?.ownerUlid === ownerUlid ? batch : undefined;
}

/** A user's batches of the last 30 days, newest first, at most `limit`. */
export async function listBatches(ownerUlid: string, limit = Number.POSITIVE_INFINITY): Promise<IngestBatch[]> {
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
  { ulid, storageUlid }: IngestBatch,
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
      storageUseEnds(storageUlid, 'ingests'),
      ...(by ? [uploadActivity(by, { ulid }, 'deleted', 'Cancelled the ingest of all objects below a prefix')] : []),
    ]),
  );
