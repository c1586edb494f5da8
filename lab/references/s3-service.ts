import { createHash } from 'node:crypto';
import * as sdk from '@aws-sdk/client-s3';
import type { Outcome, Service } from './compare.ts';
import { isKnownS3 } from './known-differences.ts';
import { contents, type Input, keys, type Operation, type Request, sequence } from './s3-requests.ts';

/** One for each lane of sequences that run at the same time. */
export const bucketNames = Array.from({ length: 8 }, (_, number) => `references-${number}`);
/** A client with the uploads of a sequence, each with its key and the ETags of its parts. */
export type Store = { s3: sdk.S3Client; Bucket: string; uploads: Upload[] };
type Upload = { Key: string; UploadId: string; etags: Map<number, string> };

const commands = {
  AbortMultipartUpload: sdk.AbortMultipartUploadCommand,
  CompleteMultipartUpload: sdk.CompleteMultipartUploadCommand,
  CopyObject: sdk.CopyObjectCommand,
  CreateMultipartUpload: sdk.CreateMultipartUploadCommand,
  DeleteObject: sdk.DeleteObjectCommand,
  DeleteObjects: sdk.DeleteObjectsCommand,
  DeleteObjectTagging: sdk.DeleteObjectTaggingCommand,
  GetObject: sdk.GetObjectCommand,
  GetObjectTagging: sdk.GetObjectTaggingCommand,
  HeadObject: sdk.HeadObjectCommand,
  ListMultipartUploads: sdk.ListMultipartUploadsCommand,
  ListObjectsV2: sdk.ListObjectsV2Command,
  ListParts: sdk.ListPartsCommand,
  PutObject: sdk.PutObjectCommand,
  PutObjectTagging: sdk.PutObjectTaggingCommand,
  UploadPart: sdk.UploadPartCommand,
  UploadPartCopy: sdk.UploadPartCopyCommand,
};

/** Members that differ by target, or that only some targets have, and do not matter to callers. */
const ignored = new Set(
  (
    '$metadata LastModified Initiated Initiator Owner Location UploadId UploadIdMarker NextUploadIdMarker ' +
    'NextContinuationToken KeyMarker NextKeyMarker StorageClass ServerSideEncryption EncryptionType VersionId Size ' +
    'ChecksumType ChecksumAlgorithm ChecksumCRC32 ChecksumCRC64NVME'
  ).split(' '),
);

async function clear(store: Store): Promise<void> {
  const { s3, Bucket } = store;
  store.uploads = [];
  const { Uploads = [] } = await s3.send(new sdk.ListMultipartUploadsCommand({ Bucket }));
  for (const { Key, UploadId } of Uploads) {
    await s3.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
  const Objects = keys.map((Key) => ({ Key }));
  await s3.send(new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
}

/** The input for a target: its ids and ETags, and bytes in the place of the names of contents. */
function inputFor({ Bucket, uploads }: Store, operation: Operation, { Upload, Parts, ...input }: Input): Input {
  const { Key, UploadId, etags } = uploads[Upload as number] ?? { Key: 'd', UploadId: 'absent', etags: new Map() };
  return {
    Bucket,
    ...input,
    ...(input.Body !== undefined && { Body: contents[input.Body as string] }),
    ...(input.CopySource !== undefined && { CopySource: `${Bucket}/${encodeURIComponent(String(input.CopySource))}` }),
    ...(Upload !== undefined && { Key, UploadId }),
    ...(operation === 'CompleteMultipartUpload' && {
      MultipartUpload: {
        Parts: (Parts as number[]).map((PartNumber) => ({ PartNumber, ETag: etags.get(PartNumber) ?? absentEtag })),
      },
    }),
  };
}

/** Of a part that was not uploaded. */
const absentEtag = `"${'0'.repeat(32)}"`;

async function send(store: Store, { operation, input }: Request): Promise<Outcome> {
  const Command = commands[operation] as new (of: unknown) => sdk.PutObjectCommand;
  const given = inputFor(store, operation, input);
  try {
    const result = (await store.s3.send(new Command(given))) as unknown as Record<string, unknown>;
    remember(store, operation, input, given, result);
    const status = (result.$metadata as { httpStatusCode?: number }).httpStatusCode;
    return { result: { status, ...((await comparable(result)) as object) } };
  } catch (error) {
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    if (!$metadata) throw error;
    return { error: `${name} ${$metadata.httpStatusCode}` };
  }
}

function remember({ uploads }: Store, operation: Operation, { Upload }: Input, given: Input, result: Input): void {
  if (operation === 'CreateMultipartUpload') {
    uploads.push({ Key: given.Key as string, UploadId: result.UploadId as string, etags: new Map() });
  }
  if (operation === 'UploadPart' || operation === 'UploadPartCopy') {
    const { ETag } = (result.CopyPartResult ?? result) as { ETag: string };
    uploads[Upload as number]?.etags.set(given.PartNumber as number, ETag);
  }
}

/** A result with what callers depend on; a body is its length and hash. */
async function comparable(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(comparable));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if ('transformToByteArray' in value) {
    const bytes = await (value as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray();
    return `${bytes.length} bytes ${createHash('md5').update(bytes).digest('hex')}`;
  }
  const members = Object.entries(value)
    .filter(([name, one]) => !ignored.has(name) && one !== undefined && one !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(await Promise.all(members.map(async ([name, one]) => [name, await comparable(one)])));
}

const show = (operation: Operation, input: Input): Request => ({ operation, input });

export const s3: Service<Store, Request> = {
  sequence,
  last: [show('ListObjectsV2', {}), show('ListMultipartUploads', {})],
  nameOf: ({ operation }) => operation,
  clear,
  send,
  isKnown: isKnownS3,
};
