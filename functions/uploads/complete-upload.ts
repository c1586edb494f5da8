import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../shared/clock.ts';
import { objectBytes } from '../aws/object-store.ts';
import { completeMultipart, listParts, PartsRefused, type StoredPart } from '../aws/upload-store.ts';
import { NotFound, ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import type { Upload } from '../table/records.ts';
import { reopenUpload, startCompleting } from '../table/videos/upload-table.ts';
import { checkParts } from './check-parts.ts';

/** The gateway gives up after 30 s, and Uppy 5 answers a 503 by aborting the upload. */
const patienceMilliseconds = 25_000;

type SentPart = { PartNumber: number; ETag: string };

/**
 * Completes an upload; a completed one stays as it is. Returns while the store still works when that takes longer than 25 s since the request began.
 * @throws ValidationFailed on `parts`, PayloadTooLarge, NotFound
 */
export async function completeUpload(upload: Upload, sent: SentPart[], startedAtMilliseconds: number): Promise<void> {
  if (upload.status === 'stored') return;
  const stored = await listParts(upload);
  if (!stored) return requireObject(upload);
  const parts = checkParts(sent, stored);
  if (!(await startCompleting(upload, parts))) throw new NotFound();
  const joined = join(upload, parts);
  const left = Math.max(0, startedAtMilliseconds + patienceMilliseconds - now());
  const clock = new AbortController();
  try {
    const first = await Promise.race([joined, sleep(left, 'late' as const, { signal: clock.signal })]);
    // Whatever comes of it then, the store's event or the reconciler will find out.
    if (first === 'late') joined.catch((error: Error) => log.warn('a late completion failed', { error }));
  } finally {
    clock.abort();
  }
}

async function join(upload: Upload, parts: StoredPart[]): Promise<void> {
  try {
    if (!(await completeMultipart(upload, parts))) await requireObject(upload);
  } catch (error) {
    if (!(error instanceof PartsRefused)) throw error;
    await reopenUpload(upload);
    throw new ValidationFailed({ parts: [error.message] });
  }
}

/** The store forgets an upload that was completed, so the object tells whether it was. */
async function requireObject(upload: Upload): Promise<void> {
  if ((await objectBytes(upload.key)) === undefined) throw new NotFound();
}
