import { ingestTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { getItem, getItems, queryIndex } from '../items/items.ts';
import { type Key, keys, listKey } from '../items/keys.ts';
import type { JobId } from '../job-id.ts';
import { type Ingest, type IngestJob, ingestRecord, jobRecordOf, type Upload, uploadRecord } from '../records.ts';
import { uploadActivity } from '../writes/activity-writes.ts';

export const findAnyIngest = (ulid: string): Promise<Ingest | undefined> => getItem(ingestRecord, keys.ingest(ulid));

/** A user's ingest. Undefined when it is another user's. */
export async function findIngest(ownerUlid: string, ulid: string): Promise<Ingest | undefined> {
  const ingest = await findAnyIngest(ulid);
  return ingest?.ownerUlid === ownerUlid ? ingest : undefined;
}

/** A page of a user's ingests, newest first, with their total number. */
export async function pageOfIngests(
  ownerUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; ingests: Ingest[] }> {
  const found = await queryIndex('byOwner', listKey(ownerUlid, 'ingest'), { descending: true });
  const items = await getItems(found.slice(offset, offset + limit));
  return { total: found.length, ingests: items.map((item) => ingestRecord.parse(item)) };
}

/** The uploads with these ULIDs that exist. */
export const findUploadsOf = async (ingests: readonly Pick<Ingest, 'ulid'>[]): Promise<Upload[]> =>
  (await getItems(ingests.map(({ ulid }) => keys.upload(ulid)))).map((item) => uploadRecord.parse(item));

/** An ingest and its upload. */
export type IngestOfJob = { ingest: Ingest; upload: Upload };

/** A job and the ingest that it is for, in one read. Each is undefined when it does not exist. */
export async function findJobWithIngest(
  id: JobId,
): Promise<{ job: IngestJob | undefined; ingestOfJob: IngestOfJob | undefined }> {
  const [jobKey, uploadKey, ingestKey] = [keys.job(id), keys.upload(id.videoUlid), keys.ingest(id.videoUlid)];
  const items = await getItems([jobKey, uploadKey, ingestKey]);
  const find = (key: Key) => items.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
  const [job, upload, ingest] = [find(jobKey), find(uploadKey), find(ingestKey)];
  return {
    job: job && jobRecordOf('ingest').parse(job),
    ingestOfJob: upload && ingest && { upload: uploadRecord.parse(upload), ingest: ingestRecord.parse(ingest) },
  };
}

/** Marks an ingest as being fetched. False when it is already, or has ended. */
export const startFetching = (ulid: string): Promise<boolean> =>
  tryWrite({
    update: keys.ingest(ulid),
    set: { status: 'fetching' },
    when: { oneOf: { status: statusesBefore(ingestTransitions, 'fetching') } },
  });

/** Sets how large the file may be. */
export const limitIngest = (ulid: string, maxBytes: number): Promise<boolean> =>
  tryWrite({ update: keys.ingest(ulid), set: { maxBytes }, when: { exists: true } });

/** Stores what the first attempt has found. False when an attempt has found something before. */
export const recordSource = (ulid: string, source: NonNullable<Ingest['source']>): Promise<boolean> =>
  tryWrite({
    update: keys.ingest(ulid),
    set: { source },
    when: { equals: { source: null }, oneOf: { status: ['pending', 'fetching'] } },
  });

/** Stores the size of a file whose server has not told it. False when the ingest has ended. */
export const recordSize = (ulid: string, sizeBytes: number): Promise<boolean> =>
  tryWrite({
    update: keys.ingest(ulid),
    set: { 'source.sizeBytes': sizeBytes },
    when: { equals: { status: 'fetching' }, oneOf: { 'source.sizeBytes': [null, sizeBytes] } },
  });

/** Removes an ingest that has ended from the list. False when it has not ended. */
export function forgetIngest(ingest: Ingest): Promise<boolean> {
  const { ulid, ownerUlid, fileName } = ingest;
  return tryTransact([
    { delete: keys.ingest(ulid), when: { oneOf: { status: ['stored', 'failed'] } } },
    uploadActivity({ ulid: ownerUlid }, ingest, 'deleted', `Removed the ended ingest of ${fileName} from the list`),
  ]);
}
