import { now } from '../../shared/clock.ts';
import { replayUploadEvent } from '../aws/executions.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, PartsRefused } from '../aws/upload-store.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import type { Upload } from '../table/records.ts';
import { dueUploads, postponeCheck } from '../table/uploads/upload-checks.ts';
import { isStale } from '../table/uploads/upload-end.ts';
import { closeUpload, findCompletedParts, reopenUpload } from '../table/uploads/upload-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';

export type RepairedUploads = { events: number; completions: number; abandoned: number };

/**
 * Repairs uploads that stopped halfway: their event was lost, their completion died, or they expired before they were
 * complete.
 */
export async function reconcileUploads(limits: DrainLimits): Promise<RepairedUploads> {
  const repaired: RepairedUploads = { events: 0, completions: 0, abandoned: 0 };
  await drain(
    dueUploads(),
    async (upload) => {
      try {
        const repair = await repairUpload(upload);
        if (repair) repaired[repair]++;
      } finally {
        // Also after a failure, so that an upload that cannot be repaired does not hold up the others.
        await postponeCheck(upload);
      }
    },
    limits,
  );
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
