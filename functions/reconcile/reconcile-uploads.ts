import { now } from '../../shared/clock.ts';
import { replayUploadEvent } from '../aws/executions.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, PartsRefused } from '../aws/upload-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { listUserUlids } from '../table/accounts/user-table.ts';
import type { Upload } from '../table/records.ts';
import {
  closeUpload,
  findCompletedParts,
  isStale,
  listOpenUploads,
  reopenUpload,
} from '../table/uploads/upload-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedUploads = { events: number; completions: number; abandoned: number };

/**
 * Repairs uploads that stopped halfway: their event was lost, their completion died, or they expired before they were
 * complete.
 */
export async function reconcileUploads(): Promise<RepairedUploads> {
  const repaired: RepairedUploads = { events: 0, completions: 0, abandoned: 0 };
  await forEachSettled(await listUserUlids(), async (userUlid) => {
    await forEachSettled(await listOpenUploads(userUlid), async (upload) => {
      const repair = await repairUpload(upload);
      if (repair) repaired[repair]++;
    });
  });
  return repaired;
}

async function repairUpload(upload: Upload): Promise<keyof RepairedUploads | undefined> {
  if (Date.parse(upload.createdAt) > now() - repairDelayMilliseconds) return undefined;
  if (upload.watched && !isStale(upload)) {
    await replayUploadEvent(upload.watched.key);
    return 'events';
  }
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
