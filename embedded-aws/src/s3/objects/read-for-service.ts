import type { IncomingHttpHeaders } from 'node:http';
import { type ByteRange, parseRange } from '../protocol/byte-range.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { writeXml } from '../protocol/s3-xml.ts';
import { bucketArn, objectArn } from '../requests/s3-access.ts';
import { findObject, type StoredObject } from '../storage/bucket-state.ts';
import type { Store } from '../storage/object-store.ts';
import { rangeStillHolds, requireReadConditions } from './conditional-headers.ts';

export type ServiceRead = {
  bucket: string;
  key: string;
  /** Only the headers: the response has no chunks. */
  headersOnly?: boolean;
  /** `range` and conditions. */
  headers: IncomingHttpHeaders;
  /** Whether the policy of the bucket allows the service an action. */
  allows: (action: string, resource: string) => boolean;
};

export type ServiceReadResult = {
  status: number;
  headers: Record<string, string>;
  chunks: Buffer[];
  /** The size of the whole object; the size of the body for errors. */
  sizeBytes: number;
  range?: ByteRange;
};

/**
 * GetObject and HeadObject for another service of the stack, without HTTP. The range is read into memory, so callers
 * ask for small ranges of large objects.
 */
export async function readForService(store: Store, read: ServiceRead): Promise<ServiceReadResult> {
  try {
    return await readObject(store, read);
  } catch (error) {
    if (error instanceof S3Error) return refused(error);
    throw error;
  }
}

async function readObject(store: Store, { bucket, key, headersOnly, headers, allows }: ServiceRead) {
  if (!store.isWritable()) throw new S3Error('InternalError');
  if (!allows('s3:GetObject', objectArn(bucket, key))) throw new S3Error('AccessDenied');
  const object = findObject(store.state, bucket, key);
  if (!object) {
    if (!allows('s3:ListBucket', bucketArn(bucket))) throw new S3Error('AccessDenied');
    throw new S3Error('NoSuchKey', undefined, { details: { Key: key } });
  }
  try {
    requireReadConditions(object, headers);
  } catch (error) {
    if (!(error instanceof S3Error && error.code === 'NotModified')) throw error;
    return { status: 304, headers: headersOf(object), chunks: [], sizeBytes: object.sizeBytes };
  }
  const applies = rangeStillHolds(object, headers['if-range'] as string | undefined);
  const range = applies ? parseRange(headers.range, object.sizeBytes) : undefined;
  const { start, end } = range ?? { start: 0, end: object.sizeBytes };
  const chunks: Buffer[] = [];
  if (!headersOnly) {
    await store.blobs.retain(object.blobs, async () => {
      for await (const chunk of store.blobs.read(object.blobs, start, end)) chunks.push(chunk);
    });
  }
  const status = range ? 206 : 200;
  return { status, headers: headersOf(object), chunks, sizeBytes: object.sizeBytes, ...(range && { range }) };
}

const headersOf = (object: StoredObject): Record<string, string> => ({
  ...object.headers,
  etag: `"${object.etag}"`,
  'last-modified': new Date(object.modifiedMs).toUTCString(),
  'accept-ranges': 'bytes',
  server: 'AmazonS3',
});

function refused(error: S3Error): ServiceReadResult {
  const body = Buffer.from(writeXml('Error', { Code: error.code, Message: error.message, ...error.details }));
  const headers = { 'content-type': 'application/xml', server: 'AmazonS3' };
  return { status: error.status, headers, chunks: [body], sizeBytes: body.length };
}
