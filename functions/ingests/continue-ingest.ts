import { now } from '../../shared/clock.ts';
import { isForUploader } from '../../shared/protocol/job-errors.ts';
import { abortMultipart } from '../aws/abort-multipart.ts';
import { PayloadTooLarge, QuotaExceeded, ValidationFailed } from '../common/errors.ts';
import { uploadLimits } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { resultOf } from '../job-results/job-results.ts';
import { usualSeconds } from '../planning/estimated-cpu-seconds.ts';
import { keyProblem } from '../storages/object-in-storage.ts';
import { openStorage } from '../storages/open-storage.ts';
import { StorageError } from '../storages/storage-error.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { findAnyIngest, limitIngest, recordSize } from '../table/ingests/ingest-table.ts';
import { ingestJobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { queueIngestJob } from '../table/jobs/queued-jobs.ts';
import { remainingUploadBytes } from '../table/quotas/reserve.ts';
import type { IngestJob, Upload } from '../table/records.ts';
import { findStorage } from '../table/storages/storage-table.ts';
import { closeUpload } from '../table/uploads/upload-table.ts';
import { completeFetched } from '../uploads/upload-lifecycle.ts';

/** An attempt repeats requests by itself, so a failed one is the end of a minute without the server. */
const maxAttempts = 5;
const retryDelayMilliseconds = 60_000;

/** `ended`: the ingest needs no slot any more. `queued`: its job was queued by this call. */
export type IngestState = 'ended' | 'queued' | 'running';

/** Does what is next for an ingest that has a slot. */
export async function continueIngest(upload: Upload | undefined): Promise<IngestState> {
  if (!upload) return 'ended';
  if (upload.status !== 'open') {
    // The parts of a completing upload are being joined; those of a closed one are deleted, if nothing has done it.
    if (upload.status === 'aborted') await abortMultipart(upload);
    return 'ended';
  }
  const job = await findJob(ingestJobId(upload.ulid));
  switch (job?.status) {
    case 'QUEUED':
    case 'LEASED':
      return 'running';
    case 'DONE':
      return complete(upload, job);
    case 'FAILED':
      return retryOrFail(upload, job);
    default:
      return queue(upload, job);
  }
}

async function queue(upload: Upload, job: IngestJob | undefined): Promise<IngestState> {
  const { ulid, ownerUlid } = upload;
  const owner = await findUser(ownerUlid);
  // The removal of the owner closes the upload.
  if (!owner) return 'running';
  const problem = await storageProblem(upload);
  if (problem !== undefined) return fail(upload, problem);
  const left = (await remainingUploadBytes(owner, ulid)) ?? uploadLimits.maxObjectBytes;
  if (left === 0) return fail(upload, 'QUOTA_EXCEEDED: The quota of uploaded bytes is used up.');
  await limitIngest(ulid, Math.min(left, uploadLimits.maxObjectBytes));
  return (await queueIngestJob(ulid, job, usualSeconds)) ? 'queued' : 'running';
}

/** Why the storage of an ingest cannot be used. Undefined when it can, or when a later attempt may succeed. */
async function storageProblem({ ulid, ownerUlid, storageUlid }: Upload): Promise<string | undefined> {
  if (storageUlid === undefined) return undefined;
  const [storage, ingest] = await Promise.all([findStorage(ownerUlid, storageUlid), findAnyIngest(ulid)]);
  if (!storage) return 'INPUT_UNREACHABLE: The storage was deleted.';
  // Its prefix may have been changed.
  const problem = keyProblem(storage, ingest?.storageKey ?? '');
  if (problem !== undefined) return `INPUT_UNREACHABLE: The storage "${storage.name}" was changed. ${problem}`;
  try {
    await openStorage(storage);
    return undefined;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `INPUT_UNREACHABLE: The storage "${storage.name}" cannot be used. ${error.message}`;
  }
}

async function retryOrFail(upload: Upload, job: IngestJob): Promise<IngestState> {
  const { code = 'INTERNAL', message = '', fatal = false } = job.error ?? {};
  if (fatal || job.attempt >= maxAttempts) {
    const isPublic = isForUploader(code);
    return fail(upload, `${code}: ${isPublic ? message : 'The service failed to fetch the file. Ingest it again.'}`);
  }
  // A worker that was lost says nothing about the server.
  const isServer = isForUploader(code);
  if (isServer && now() < Date.parse(job.endedAt ?? job.queuedAt) + retryDelayMilliseconds) return 'running';
  return queue(upload, job);
}

/** Joins the parts that the worker has stored. The store's event then creates the video. */
async function complete(upload: Upload, job: IngestJob): Promise<IngestState> {
  const { sizeBytes, parts } = await resultOf(job);
  await recordSize(upload.ulid, sizeBytes);
  const owner = await findUser(upload.ownerUlid);
  if (!owner) return 'running';
  try {
    await completeFetched(
      upload,
      owner.quota,
      parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })),
    );
    return 'ended';
  } catch (error) {
    if (error instanceof QuotaExceeded) return fail(upload, `QUOTA_EXCEEDED: ${error.message}`);
    if (error instanceof PayloadTooLarge) return fail(upload, `INPUT_TOO_LARGE: ${error.message}`);
    if (!(error instanceof ValidationFailed)) throw error;
    log.warn('the parts of an ingest do not fit together', { ingest: upload.ulid, error });
    return fail(upload, 'STORE_FAILED: The service failed to store the file. Ingest it again.');
  }
}

async function fail(upload: Upload, error: string): Promise<IngestState> {
  await closeUpload(upload, 'notFetched', error);
  await abortMultipart(upload);
  return 'ended';
}
