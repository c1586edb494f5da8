import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
} from '@aws-sdk/client-s3';
import type { StoredPart } from '../../shared/protocol/jobs.ts';
import type { OpenStorage } from '../storages/open-storage.ts';
import { explainStoreError, storageError } from '../storages/storage-error.ts';

/** A file in the bucket of a user. */
export type StorageObject = { bucket: string; key: string };
export type StorageMultipart = StorageObject & { s3UploadId: string };

const params = ({ bucket, key, s3UploadId }: StorageMultipart) => ({ Bucket: bucket, Key: key, UploadId: s3UploadId });

const named =
  (...names: readonly string[]) =>
  (error: unknown): boolean =>
    error instanceof Error && names.includes(error.name);

const isGone = named('NoSuchUpload');

/**
 * The response of the store of a user; undefined for an error that the caller expects.
 * @throws StorageError for others: an error of the service's own store or table must not look like one of the user's
 */
async function ofStore<Output>(
  request: Promise<Output>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<Output | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw explainStoreError(error);
  }
}

export async function createStorageMultipart(
  { client }: OpenStorage,
  { bucket, key }: StorageObject,
  headers: { contentType: string; cacheControl: string },
): Promise<string> {
  const command = new CreateMultipartUploadCommand({
    Bucket: bucket,
    Key: key,
    ContentType: headers.contentType,
    CacheControl: headers.cacheControl,
  });
  const created = await ofStore(client.send(command));
  if (!created?.UploadId) throw storageError('invalid_response');
  return created.UploadId;
}

/** No upload has more parts, and stores list 1000 at once: a list without an end is none. */
const maxParts = 10_000;
const maxPages = 20;

/** The parts that the store has. Undefined when it does not know the upload any more, or shows no whole list. */
export async function listStorageParts(
  { client }: OpenStorage,
  upload: StorageMultipart,
): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const command = new ListPartsCommand({
      ...params(upload),
      ...(after !== undefined && { PartNumberMarker: after }),
    });
    const page: ListPartsCommandOutput | undefined = await ofStore(
      client.send(command),
      named('NoSuchUpload', 'AccessDenied'),
    );
    if (!page) return undefined;
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) {
      parts.push({ number: PartNumber, bytes: Size, etag: ETag });
    }
    const next: string | undefined = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    if (parts.length > maxParts) return undefined;
    if (next === undefined) return parts;
    after = next;
  }
  return undefined;
}

/** Joins the parts. Nothing happens when the upload was completed before: the caller compares the file. */
export async function completeStorageMultipart(
  { client }: OpenStorage,
  upload: StorageMultipart,
  parts: readonly { number: number; etag: string }[],
): Promise<void> {
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
  const command = new CompleteMultipartUploadCommand({ ...params(upload), MultipartUpload: { Parts } });
  await ofStore(client.send(command), isGone);
}

export async function abortStorageMultipart(
  { client }: OpenStorage,
  upload: StorageMultipart,
  abortSignal?: AbortSignal,
): Promise<void> {
  const command = new AbortMultipartUploadCommand(params(upload));
  await ofStore(client.send(command, { ...(abortSignal && { abortSignal }) }), isGone);
}

/** Undefined when the storage does not have the file. */
export async function storageObjectBytes(
  { client }: OpenStorage,
  { bucket, key }: StorageObject,
): Promise<number | undefined> {
  const request = client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  return (await ofStore(request, named('NotFound', 'NoSuchKey')))?.ContentLength;
}
