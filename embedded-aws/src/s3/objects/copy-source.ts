import { maxBlobBytes } from '../bodies/receive-blob.ts';
import type { ByteRange } from '../protocol/byte-range.ts';
import { parseTarget } from '../protocol/request-target.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { type Exchange, header } from '../requests/exchange.ts';
import { notFoundError, objectArn, requireAccess } from '../requests/s3-access.ts';
import { findObject, type StoredObject } from '../storage/bucket-state.ts';
import { requireReadConditions } from './conditional-headers.ts';

/**
 * The object that x-amz-copy-source names, if the caller may read it and the conditions of the copy hold.
 * @throws InvalidArgument, NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed
 */
export function requireCopySource(exchange: Exchange): StoredObject {
  const { store, request, authentication } = exchange;
  const named = header(exchange, 'x-amz-copy-source') ?? '';
  const { bucket, key, query } = parseTarget(named.startsWith('/') ? named : `/${named}`);
  if (bucket === '' || key === '' || query.some(([name]) => name !== 'versionId')) {
    throw new S3Error('InvalidArgument', 'Invalid copy source object key');
  }
  if (query.length > 0) throw new S3Error('NotImplemented');
  if (!store.buckets.has(bucket)) throw new S3Error('NoSuchBucket', undefined, { details: { BucketName: bucket } });
  requireAccess(authentication, { action: 's3:GetObject', resource: objectArn(bucket, key) });
  const source = findObject(store.state, bucket, key);
  if (!source) throw notFoundError(authentication, bucket, key);
  try {
    requireReadConditions(source, request.headers, 'x-amz-copy-source-');
  } catch (error) {
    // For a copy, "not modified" is a failed condition.
    throw error instanceof S3Error && error.code === 'NotModified' ? new S3Error('PreconditionFailed') : error;
  }
  return source;
}

/**
 * The bytes that x-amz-copy-source-range names, all without the header. Unlike Range, it must name both ends, and the
 * source must have all of it.
 * @throws InvalidArgument, InvalidRequest
 */
export function copySourceRange(exchange: Exchange, { sizeBytes }: StoredObject): ByteRange {
  const name = 'x-amz-copy-source-range';
  const value = header(exchange, name);
  if (value === undefined) return { start: 0, end: sizeBytes };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(value) ?? [];
  const details = { ArgumentName: name, ArgumentValue: value };
  if (first === undefined || Number(first) > Number(last)) {
    const message = `The ${name} value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy`;
    throw new S3Error('InvalidArgument', message, { details });
  }
  if (Number(first) >= sizeBytes) {
    throw new S3Error('InvalidRequest', 'The specified copy range is invalid for the source object size');
  }
  if (Number(last) >= sizeBytes) {
    const message = `Range specified is not valid for source object of size: ${sizeBytes}`;
    throw new S3Error('InvalidArgument', message, { details });
  }
  return { start: Number(first), end: Number(last) + 1 };
}

/** @throws InvalidRequest */
export function requireCopySize(bytes: number): void {
  if (bytes <= maxBlobBytes) return;
  const message = `The specified copy source is larger than the maximum allowable size for a copy source: ${maxBlobBytes}`;
  throw new S3Error('InvalidRequest', message);
}
