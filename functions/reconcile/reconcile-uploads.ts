import { now } from '../../shared/clock.ts';
import { replayUploadEvent } from '../aws/executions.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, PartsRefused } from '../aws/upload-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { getItems, queryIndex } from '../table/items/items.ts';
import { owned } from '../table/items/keys.ts';
import { type Upload, uploadRecord } from '../table/records.ts';
import { closeUpload, findCompletedParts, isStale, reopenUpload } from '../table/videos/upload-table.ts';
import { patienceMilliseconds } from './repair-delay.ts';

export type RepairedUploads = { events: number; completions: number; abandoned: number };

/** Uploads that stopped half-way: their event was lost, their completion died, or nobody went on with them and their parts have expired. */
export async function reconcileUploads(): Promise<RepairedUploads> {
  const mended: RepairedUploads = { events: 0, completions: 0, abandoned: 0 };
  await forEachSettled(await queryIndex('byOwner', owned('all', 'user', '').ownerKey), async ({ ownerSort }) => {
    const open = await queryIndex('byOwner', owned(String(ownerSort), 'upload', '').ownerKey);
    await forEachSettled(await getItems(open), async (item) => {
      const done = await mendUpload(uploadRecord.parse(item));
      if (done) mended[done]++;
    });
  });
  return mended;
}

async function mendUpload(upload: Upload): Promise<keyof RepairedUploads | undefined> {
  if (Date.parse(upload.createdAt) > now() - patienceMilliseconds) return undefined;
  if ((await objectBytes(upload.key)) !== undefined) {
    await replayUploadEvent(upload.key);
    return 'events';
  }
  if (upload.status === 'completing' && (await completeAgain(upload))) return 'completions';
  if (!isStale(upload)) return undefined;
  if (upload.status === 'completing') await reopenUpload(upload);
  return (await closeUpload({ ...upload, status: 'open' }, 'expired')) ? 'abandoned' : undefined;
}

/** Joins the parts that the client has named. The store's event then takes the upload on. */
async function completeAgain(upload: Upload): Promise<boolean> {
  const parts = await findCompletedParts(upload.ulid);
  if (!parts) return false;
  try {
    return await completeMultipart(upload, parts);
  } catch (error) {
    if (!(error instanceof PartsRefused)) throw error;
    // Open again, the client may send what is missing.
    await reopenUpload(upload);
    return true;
  }
}
