import { now } from '../../shared/clock.ts';
import { isOfStorage } from '../../shared/protocol/job-errors.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { log } from '../common/log.ts';
import { resultOf } from '../job-results/job-results.ts';
import { usualSeconds } from '../planning/estimated-cpu-seconds.ts';
import { openStorage } from '../storages/open-storage.ts';
import { explainStoreError } from '../storages/storage-error.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { deliverJobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { queueDeliverJob } from '../table/jobs/queued-jobs.ts';
import type { DeliverJob, StorageDelivery } from '../table/records.ts';
import { forgetOpenDelivery } from '../table/storage-deliveries/open-deliveries.ts';
import {
  abandonStorageDelivery,
  beginStorageDelivery,
  completeStorageDelivery,
  failStorageDelivery,
  findStorageDelivery,
  removeStorageDelivery,
} from '../table/storage-deliveries/storage-delivery-table.ts';
import { forgetUnusedStorage } from '../table/storages/storage-removal.ts';
import { findStorage, findStorageToRemove } from '../table/storages/storage-table.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';
import { filesFrom, writeFilePages } from './file-pages.ts';
import { listFiles, NothingToDeliver } from './list-files.ts';
import { abortStorageMultipart } from './storage-multipart.ts';

/** In a row that copy no file. An attempt repeats requests by itself. */
const maxAttempts = 6;
const firstDelayMilliseconds = 60_000;

/** `ended`: another delivery of the user can run. `queued`: its job was queued by this call. */
export type DeliveryState = 'ended' | 'queued' | 'running';

/** Does what is next for a delivery that may run. */
export async function continueDelivery(userUlid: string, ulid: string): Promise<DeliveryState> {
  const delivery = await findStorageDelivery(ulid);
  if (!delivery) {
    await forgetOpenDelivery(userUlid, ulid);
    return 'ended';
  }
  // The call that ended it has died.
  if (delivery.endedAt !== null) return tidy(delivery);
  const [owner, whole] = await Promise.all([findUser(delivery.ownerUlid), findWholeVideo(delivery.videoUlid)]);
  if (!owner || !whole) return remove(delivery);
  if (whole.video.ownerUlid !== delivery.ownerUlid) {
    return fail(delivery, 'VIDEO_CHANGED: The video has another owner now, who has no access to the storage.');
  }
  if (delivery.status === 'pending') return begin(delivery, whole);
  if (whole.video.planNumber !== delivery.planNumber) return fail(delivery, processedAgain);
  const job = await findJob(deliverJobId(ulid));
  switch (job?.status) {
    case 'QUEUED':
    case 'LEASED':
      return 'running';
    case 'DONE':
      return complete(delivery, job);
    case 'FAILED':
      return retryOrFail(delivery, job);
    default:
      return queue(delivery, job);
  }
}

const processedAgain =
  'VIDEO_CHANGED: The video was processed again before all files were copied. Deliver it again when it is completed.';

const storageGone =
  'STORAGE_GONE: The owner of the video has no such storage. It was deleted, or the video has another owner now.';

async function begin(delivery: StorageDelivery, whole: WholeVideo): Promise<DeliveryState> {
  const { video } = whole;
  if (video.status !== 'completed') return fail(delivery, processedAgain);
  try {
    const files = await listFiles(delivery, whole);
    const listing = await writeFilePages(delivery, files);
    const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const listed = { planNumber: video.planNumber, listing, fileCount: files.length, totalBytes };
    if (await beginStorageDelivery(delivery, listed)) return queue(delivery, undefined);
  } catch (error) {
    if (error instanceof NothingToDeliver) return fail(delivery, error.message);
    throw error;
  }
  const present = await findStorageDelivery(delivery.ulid);
  if (present?.status !== 'pending') return 'running';
  const storage = await findStorage(delivery.ownerUlid, delivery.storageUlid);
  return storage ? 'running' : fail(delivery, storageGone);
}

const queue = async ({ ulid }: StorageDelivery, job: DeliverJob | undefined): Promise<DeliveryState> =>
  (await queueDeliverJob(ulid, job, usualSeconds)) ? 'queued' : 'running';

async function complete(delivery: StorageDelivery, job: DeliverJob): Promise<DeliveryState> {
  const { files } = await resultOf(job);
  if (files !== delivery.fileCount) return fail(delivery, `INTERNAL: ${againSentence}`);
  await completeStorageDelivery(delivery);
  return tidyIfEnded(delivery);
}

async function retryOrFail(delivery: StorageDelivery, job: DeliverJob): Promise<DeliveryState> {
  const { code = 'INTERNAL', message = '', fatal = false } = job.error ?? {};
  const cause = causeOf(code, message);
  const failures = job.attempt - delivery.progressAttempt;
  if ((fatal && !cause.isTransient) || failures >= maxAttempts) return fail(delivery, cause.text);
  // A worker that was lost says nothing about the storage.
  const delay = code === 'WORKER_STOPPED' ? 0 : firstDelayMilliseconds * 2 ** Math.max(0, failures - 1);
  if (now() < Date.parse(job.endedAt ?? job.queuedAt) + delay) return 'running';
  return queue(delivery, job);
}

const againSentence = 'The service failed to copy the files. Deliver them again.';

/** Why an attempt has failed, for the owner. Workers report refusals by their status and code. */
function causeOf(code: string, message: string): { text: string; isTransient: boolean } {
  if (code === 'INPUT_GONE') return { text: processedAgain, isTransient: false };
  if (!isOfStorage(code)) return { text: `INTERNAL: ${againSentence}`, isTransient: false };
  const refusal = /^status (\d{3}), code (\w+)$/.exec(message);
  if (!refusal) return { text: `${code}: ${message}`, isTransient: false };
  const [, status, name = ''] = refusal;
  const refused = Object.assign(new Error(), { name, $metadata: { httpStatusCode: Number(status) } });
  const explained = explainStoreError(refused);
  return { text: `${code}: ${explained.message}`, isTransient: explained.isTransient };
}

async function fail(delivery: StorageDelivery, error: string): Promise<DeliveryState> {
  await failStorageDelivery(delivery, error);
  return tidyIfEnded(delivery);
}

/** If it dies before the record is deleted, the record expires. */
async function remove(delivery: StorageDelivery): Promise<DeliveryState> {
  await abandonStorageDelivery(delivery);
  const state = await tidyIfEnded(delivery);
  if (state === 'ended') await removeStorageDelivery(delivery);
  return state;
}

/** As it is now: a worker may have begun uploads since it was read, and another call may have continued it. */
async function tidyIfEnded({ ulid }: StorageDelivery): Promise<DeliveryState> {
  const present = await findStorageDelivery(ulid);
  if (!present) return 'ended';
  return present.endedAt === null ? 'running' : tidy(present);
}

/**
 * Removes what a delivery leaves behind. Until that is done it is an open one, so that a call that dies is repeated.
 * The storage is not the service's own: what cannot be removed there at once stays.
 */
async function tidy(delivery: StorageDelivery): Promise<DeliveryState> {
  await abortMultiparts(delivery).catch((error: Error) => {
    log.info('the uploads of a delivery were not aborted', { delivery: delivery.ulid, error });
  });
  await forgetUnusedStorage(delivery.storageUlid);
  await forgetOpenDelivery(delivery.ownerUlid, delivery.ulid);
  return 'ended';
}

/** Of all of them together: a store that does not respond holds nothing up. */
const abortMilliseconds = 5000;
const parallelAborts = 8;

/**
 * Aborts the uploads of large files that a delivery has begun and not completed.
 * @throws StorageError
 */
async function abortMultiparts(delivery: StorageDelivery): Promise<void> {
  const begun = Object.entries(delivery.multiparts);
  if (begun.length === 0) return;
  const storage = await findStorageToRemove(delivery.ownerUlid, delivery.storageUlid);
  if (!storage) return;
  const opened = await openStorage(storage);
  const { bucket, prefix } = storage;
  const signal = AbortSignal.timeout(abortMilliseconds);
  const abort = async ([name, s3UploadId]: [string, string]): Promise<void> => {
    const [file] = await filesFrom(delivery, Number(name.slice(1)), 1);
    if (file) await abortStorageMultipart(opened, { bucket, key: `${prefix}${file.path}`, s3UploadId }, signal);
  };
  await forEachSettled(begun, abort, parallelAborts);
}
