import { now } from '../../shared/clock.ts';
import { replayUploadEvent } from '../aws/executions.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, PartsRefused } from '../aws/upload-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { getItems, queryIndex } from '../table/items/items.ts';
import { owned } from '../table/items/keys.ts';
import { type Upload, uploadRecord } from '../table/records.ts';
import { closeUpload, findCompletedParts, isStale, reopenUpload } from '../table/videos/upload-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedUploads = { events: number; completions: number; abandoned: number };

/**
 * Repairs uploads that stopped halfway: their event was lost, their completion died, or they expired before they were
 * complete.
 */
export async function reconcileUploads(): Promise<RepairedUploads> {
  const repaired: RepairedUploads = { events: 0, completions: 0, abandoned: 0 };
  await forEachSettled(await queryIndex('byOwner', owned('all', 'user', '').ownerKey), async ({ ownerSort }) => {
    const open = await queryIndex('byOwner', owned(String(ownerSort), 'upload', '').ownerKey);
    await forEachSettled(await getItems(open), async (item) => {
      const repair = await repairUpload(uploadRecord.parse(item));
      if (repair) repaired[repair]++;
    });
  });
  return repaired;
}

async function repairUpload(upload: Upload): Promise<keyof RepairedUploads | undefined> {
  if (Date.parse(upload.createdAt) > now() - repairDelayMilliseconds) return undefined;
  if ((await objectBytes(upload.key)) !== undefined) {
    await replayUploadEvent(upload.key);
    return 'events';
  }
  if (upload.status === 'completing' && (await completeAgain(upload))) return 'completions';
  if (!isStale(upload)) return undefined;
  if (upload.status === 'completing') await reopenUpload(upload);
  return (await closeUpload({ ...upload, status: 'open' }, 'expired')) ? 'abandoned' : undefined;
}

/**
 * Completes the multipart upload with the parts that the client has listed. The object's event then starts the
 * pipeline.
 */
async function completeAgain(upload: Upload): Promise<boolean> {
  const parts = await findCompletedParts(upload.ulid);
  if (!parts) return false;
  try {
    return await completeMultipart(upload, parts);
  } catch (error) {
    if (!(error instanceof PartsRefused)) throw error;
    // The client can upload the missing parts and complete it again.
    await reopenUpload(upload);
    return true;
  }
}
