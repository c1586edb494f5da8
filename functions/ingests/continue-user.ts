import { readEnvironment } from '../../shared/environment.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { acquireIngestSlot, findSlots, freeIngestSlot, leaveIngesting } from '../table/ingests/ingest-slots.ts';
import type { Upload } from '../table/records.ts';
import { findAnyUpload, listOpenUploads } from '../table/uploads/upload-table.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { continueBatches } from './continue-batches.ts';
import { continueIngest, type IngestState } from './continue-ingest.ts';

/**
 * Continues the batches of a user, frees the slots of the user's ingests that have ended, continues those that run, and
 * starts the oldest of those that wait. Every step can be repeated, also at the same time as another call.
 * @param addedUlid an ingest that the index may not list yet
 */
export async function continueUser(userUlid: string, addedUlid?: string): Promise<void> {
  const isListing = await continueBatches(userUlid);
  const open = await openIngests(userUlid, addedUlid);
  const slots = await findSlots(userUlid);
  const states = new Map<string, IngestState>();
  await forEachSettled(slots, async (ulid) => {
    const state = await continueIngest(await findAnyUpload(ulid));
    states.set(ulid, state);
    if (state === 'ended') await freeIngestSlot(userUlid, ulid);
  });
  for (const upload of open.filter(({ ulid }) => !slots.includes(ulid))) {
    // The write decides: another call may have given the last slot.
    if (!(await acquireIngestSlot(userUlid, upload.ulid, readEnvironment('MAX_RUNNING_INGESTS')))) break;
    const state = await continueIngest(await findAnyUpload(upload.ulid));
    states.set(upload.ulid, state);
    if (state === 'ended') await freeIngestSlot(userUlid, upload.ulid);
  }
  const reached = [...states.values()];
  if (reached.includes('queued')) await launchWorkers();
  if (!isListing && open.length === 0 && reached.every((state) => state === 'ended')) await leaveIngesting(userUlid);
}

/** A user's open ingests, oldest first. */
async function openIngests(userUlid: string, addedUlid: string | undefined): Promise<Upload[]> {
  const listed = await listOpenUploads(userUlid);
  const added = addedUlid === undefined ? undefined : await findAnyUpload(addedUlid);
  const all = added && !listed.some(({ ulid }) => ulid === added.ulid) ? [...listed, added] : listed;
  return all.filter(({ origin, status }) => origin === 'ingest' && status === 'open');
}
