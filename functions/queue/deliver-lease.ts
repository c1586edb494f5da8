import { cacheControl, replaceableSeconds } from '../../delivery/urls/delivered-headers.ts';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import type {
  DeliverSpec,
  FileRequest,
  FileResponse,
  FileToCopy,
  JobLimits,
  Lease,
} from '../../shared/protocol/jobs.ts';
import { presignedGet } from '../aws/object-store.ts';
import type { UrlAudience } from '../aws/presign.ts';
import { userTargets } from '../common/allowed-targets.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { type DeliveredFile, filesFrom } from '../storage-deliveries/file-pages.ts';
import {
  abortStorageMultipart,
  completeStorageMultipart,
  createStorageMultipart,
  listStorageParts,
  storageObjectBytes,
} from '../storage-deliveries/storage-multipart.ts';
import { type OpenStorage, openStorage } from '../storages/open-storage.ts';
import { StorageError } from '../storages/storage-error.ts';
import type { DeliverJob, StorageDelivery } from '../table/records.ts';
import {
  findJobWithDelivery,
  forgetMultipart,
  multipartOf,
  recordCopied,
  recordMultipart,
} from '../table/storage-deliveries/storage-delivery-table.ts';
import { findStorage, type Storage } from '../table/storages/storage-table.ts';
import { limits as jobLimits } from './compose-lease.ts';
import { type GrantedDeliverLease, isDelivered } from './granted-lease.ts';

const mebibyte = 2 ** 20;
/** Larger files are copied in parts: a worker holds what it sends in memory, and another one continues with them. */
const maxSinglePutBytes = 16 * mebibyte;
const partBytes = 8 * mebibyte;
const maxParts = 10_000;

/** Many files take hours. The worker requests new URLs when others have expired. */
const limits: JobLimits = { ...jobLimits, wallSeconds: 24 * 3600, stallSeconds: 60 };

/** The lease of an attempt to copy the files of a delivery. Undefined when nothing needs them any more. */
export async function composeDeliverLease(job: DeliverJob): Promise<Lease | undefined> {
  const { delivery } = await findJobWithDelivery(job);
  if (!delivery || !(await isDelivered(delivery))) return undefined;
  const spec: DeliverSpec = {
    kind: 'deliver',
    fileCount: delivery.fileCount ?? 0,
    totalBytes: delivery.totalBytes ?? 0,
    copiedFiles: delivery.copiedFiles,
    copiedBytes: delivery.copiedBytes,
    allowLoopback: userTargets('storage').allowLoopback,
  };
  return { id: job.lease ?? '', kind: job.kind, spec, inputs: {}, outputs: {}, limits };
}

/**
 * Answers the worker of a delivery. What the store of the user has answered to the service is its `failure`: the worker
 * ends with it.
 * @throws ValidationFailed for a request that is not one of a delivery
 */
export async function handleDeliverRequest(
  request: FileRequest,
  { delivery, attempt }: GrantedDeliverLease,
  reach: UrlAudience,
): Promise<FileResponse> {
  if (request.ask === 'copied' || request.ask === 'copies') {
    const { copiedFiles, copiedBytes } = request;
    if (copiedFiles > (delivery.fileCount ?? 0)) {
      throw new ValidationFailed({ copiedFiles: ['The delivery has not so many files.'] });
    }
    if (copiedFiles > delivery.copiedFiles) await recordCopied(delivery.ulid, attempt, { copiedFiles, copiedBytes });
    if (request.ask === 'copied') return {};
  }
  const storage = await findStorage(delivery.ownerUlid, delivery.storageUlid);
  if (!storage) return failure('STORAGE_REFUSED', 'The storage was deleted.', true);
  try {
    // A worker waits this long for a response at most.
    const opened = await openStorage(storage);
    return await respond(request, { delivery, storage, opened, reach });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { message, isTransient } = error;
    return failure(isTransient ? 'STORAGE_FAILED' : 'STORAGE_REFUSED', message, !isTransient);
  }
}

const failure = (
  code: NonNullable<FileResponse['failure']>['code'],
  message: string,
  fatal: boolean,
): Pick<FileResponse, 'failure'> => ({ failure: { code, message, fatal } });

type Opened = { delivery: StorageDelivery; storage: Storage; opened: OpenStorage; reach: UrlAudience };
type PositionedFile = DeliveredFile & { position: number };

async function respond(request: FileRequest, context: Opened): Promise<FileResponse> {
  switch (request.ask) {
    case 'copies': {
      const files = await filesFrom(context.delivery, request.position, request.count);
      return { files: await Promise.all(files.map((file) => toCopy(file, context))) };
    }
    case 'compare':
      return { isSame: await hasItsSize(await fileOf(request, context), context) };
    case 'open':
      return openMultipart(await fileOf(request, context), context);
    case 'parts': {
      const { key, s3UploadId } = await multipart(request, context);
      const numbers = Array.from({ length: request.count }, (_, offset) => request.from + offset);
      const sign = async (number: number) => {
        const query = { partNumber: String(number), uploadId: s3UploadId };
        return [String(number), await context.opened.signedUrl('PUT', key, { query })] as const;
      };
      return { urls: Object.fromEntries(await Promise.all(numbers.map(sign))) };
    }
    case 'close':
      return closeMultipart(request, context);
    default:
      throw new ValidationFailed({ ask: ['The lease of a delivery has no such file.'] });
  }
}

async function fileOf({ file }: { file: string }, { delivery }: Opened): Promise<PositionedFile> {
  const [found] = /^\d{1,7}$/.test(file) ? await filesFrom(delivery, Number(file), 1) : [];
  if (!found) throw new ValidationFailed({ file: ['The lease has no such file.'] });
  return found;
}

const keyOf = ({ path }: DeliveredFile, { storage }: Opened): string => `${storage.prefix}${path}`;

/** As the service delivers the file itself. What another delivery may replace is not kept for long. */
const headersOf = ({ path, source, replaceable }: DeliveredFile) => ({
  contentType: path.endsWith('.json') ? 'application/json' : contentTypeOf(path),
  cacheControl: replaceable ? `public, max-age=${replaceableSeconds}` : cacheControl(source),
});

async function toCopy(file: PositionedFile, context: Opened): Promise<FileToCopy> {
  const { position, bytes, stage } = file;
  const source = await presignedGet(file.source, context.reach);
  if (bytes > maxSinglePutBytes) {
    const smallest = Math.ceil(bytes / maxParts / mebibyte) * mebibyte;
    return { position, bytes, stage, source, partBytes: Math.max(partBytes, smallest) };
  }
  const { contentType, cacheControl } = headersOf(file);
  const headers = { 'content-type': contentType, 'cache-control': cacheControl };
  const url = await context.opened.signedUrl('PUT', keyOf(file, context), { headers });
  return { position, bytes, stage, source, target: { url, headers } };
}

const hasItsSize = async (file: PositionedFile, context: Opened): Promise<boolean> =>
  (await storageObjectBytes(context.opened, { bucket: context.storage.bucket, key: keyOf(file, context) })) ===
  file.bytes;

/** Begins the upload of a large file, or continues that of an earlier attempt. */
async function openMultipart(file: PositionedFile, context: Opened): Promise<FileResponse> {
  const { delivery, storage, opened } = context;
  const object = { bucket: storage.bucket, key: keyOf(file, context) };
  const known = multipartOf(delivery, file.position);
  const storedParts = known && (await listStorageParts(opened, { ...object, s3UploadId: known }));
  if (known && storedParts) return { s3UploadId: known, storedParts };
  const s3UploadId = await createStorageMultipart(opened, object, headersOf(file));
  if (!(await recordMultipart(delivery, file.position, { known, s3UploadId }))) {
    await abortStorageMultipart(opened, { ...object, s3UploadId });
    throw new Conflict('lease_over', 'The lease is over.');
  }
  // Its parts cannot be listed, or there are none.
  if (known) await abortStorageMultipart(opened, { ...object, s3UploadId: known });
  return { s3UploadId, storedParts: [] };
}

/** The upload that the service has begun for a file, whatever the worker says. */
async function multipart(request: { file: string; s3UploadId: string }, context: Opened) {
  const file = await fileOf(request, context);
  const s3UploadId = multipartOf(context.delivery, file.position);
  if (s3UploadId === undefined || s3UploadId !== request.s3UploadId) {
    throw new ValidationFailed({ s3UploadId: ['The lease has no such upload.'] });
  }
  return { file, bucket: context.storage.bucket, key: keyOf(file, context), s3UploadId };
}

/** A store that has joined the parts may have answered nobody: then the request is repeated. */
async function closeMultipart(request: Extract<FileRequest, { ask: 'close' }>, context: Opened): Promise<FileResponse> {
  const { file, ...upload } = await multipart(request, context);
  await completeStorageMultipart(context.opened, upload, request.parts);
  const isSame = await hasItsSize(file, context);
  await forgetMultipart(context.delivery, file.position);
  if (isSame) return {};
  const message = 'The storage reports another size of a file than that of what was sent.';
  return failure('STORAGE_MISMATCH', message, true);
}
