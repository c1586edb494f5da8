import { type Checksum, checksumElement, digestOf } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { type Exchange, header, type Operation, respond } from '../requests/exchange.ts';
import { requirePermission } from '../requests/s3-access.ts';
import { findObject, type StoredObject } from '../storage/bucket-state.ts';
import { requireWriteConditions } from './conditional-headers.ts';
import { requireCopySize, requireCopySource } from './copy-source.ts';
import { objectHeaders } from './object-headers.ts';
import { parseTagHeader } from './object-tags.ts';
import { commitObject } from './put-object.ts';

function directive(exchange: Exchange, name: string): 'COPY' | 'REPLACE' {
  const value = header(exchange, name) ?? 'COPY';
  if (value === 'COPY' || value === 'REPLACE') return value;
  throw new S3Error('InvalidArgument', `Unknown directive ${name}.`);
}

/**
 * The ETag and checksum of the copy. A copy has no parts, so an ETag or checksum that is made of those of the parts is
 * computed anew.
 */
async function digestsOfCopy(exchange: Exchange, source: StoredObject): Promise<{ etag: string; checksum?: Checksum }> {
  const { blobs } = exchange.store;
  const { etag, checksum } = source;
  if (!etag.includes('-') && checksum?.type !== 'COMPOSITE') return { etag, ...(checksum && { checksum }) };
  const md5 = digestOf('md5');
  const other = checksum && digestOf(checksum.algorithm);
  for await (const chunk of blobs.read(source.blobs, 0, source.sizeBytes)) {
    md5.update(chunk);
    other?.update(chunk);
  }
  return {
    etag: md5.digest().toString('hex'),
    ...(checksum && {
      checksum: { algorithm: checksum.algorithm, type: 'FULL_OBJECT', value: other!.digest().toString('base64') },
    }),
  };
}

export const copyObject: Operation = async (exchange) => {
  const { store, target, bucket, request } = exchange;
  const source = requireCopySource(exchange);
  const replaceHeaders = directive(exchange, 'x-amz-metadata-directive') === 'REPLACE';
  const replaceTags = directive(exchange, 'x-amz-tagging-directive') === 'REPLACE';
  if (source.bucket === target.bucket && source.key === target.key && !replaceHeaders) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  }
  requireCopySize(source.sizeBytes);
  const headers = replaceHeaders ? objectHeaders(request.headers) : source.headers;
  const tags = replaceTags ? parseTagHeader(header(exchange, 'x-amz-tagging') ?? '') : source.tags;
  if (tags && Object.keys(tags).length > 0) requirePermission(exchange, 's3:PutObjectTagging');

  const { digests, blobs } = await store.blobs.retain(source.blobs, async () => ({
    digests: await digestsOfCopy(exchange, source),
    blobs: await Promise.all(source.blobs.map((blob) => store.blobs.duplicate(blob))),
  }));
  try {
    requireWriteConditions(findObject(store.state, target.bucket, target.key), request.headers);
  } catch (error) {
    store.blobs.remove(blobs.map((blob) => blob.id));
    throw error;
  }
  const { sizeBytes } = source;
  const object = await commitObject(
    store,
    bucket,
    { bucket: target.bucket, key: target.key, blobs, sizeBytes, headers, ...digests, ...(tags && { tags }) },
    { reason: 'CopyObject' },
  );
  respond(exchange, 200, {
    root: 'CopyObjectResult',
    content: {
      LastModified: new Date(object.modifiedMs).toISOString(),
      ETag: `"${object.etag}"`,
      ...(object.checksum && {
        [checksumElement(object.checksum.algorithm)]: object.checksum.value,
        ChecksumType: object.checksum.type,
      }),
    },
  });
};
