import { randomBytes } from 'node:crypto';
import { objectHeaders } from '../objects/object-headers.ts';
import { parseTagHeader } from '../objects/object-tags.ts';
import { checksumElement, parseAlgorithm, parseChecksumType } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { countQuery, header, keyEncoding, type Operation, query, respond } from '../requests/exchange.ts';
import { requireUpload } from '../requests/requested-object.ts';
import { requirePermission } from '../requests/s3-access.ts';
import type { Upload } from '../storage/bucket-state.ts';

export const createMultipartUpload: Operation = async (exchange) => {
  const { store, request, response, target } = exchange;
  const algorithmName = header(exchange, 'x-amz-checksum-algorithm');
  const algorithm = algorithmName === undefined ? undefined : parseAlgorithm(algorithmName);
  const checksum = algorithm && {
    algorithm,
    type: parseChecksumType(algorithm, header(exchange, 'x-amz-checksum-type')?.toUpperCase()),
  };
  const tags = parseTagHeader(header(exchange, 'x-amz-tagging'));
  if (tags) requirePermission(exchange, 's3:PutObjectTagging');
  const upload: Upload = {
    id: randomBytes(48).toString('base64url'),
    bucket: target.bucket,
    key: target.key,
    initiatedMs: store.now().getTime(),
    headers: objectHeaders(request.headers),
    ...(tags && { tags }),
    ...(checksum && { checksum }),
  };
  await store.commit({ type: 'upload', upload });
  if (checksum) {
    response.setHeader('x-amz-checksum-algorithm', checksum.algorithm.toUpperCase());
    response.setHeader('x-amz-checksum-type', checksum.type);
  }
  respond(exchange, 200, {
    root: 'InitiateMultipartUploadResult',
    content: { Bucket: target.bucket, Key: target.key, UploadId: upload.id },
  });
};

export const abortMultipartUpload: Operation = async (exchange) => {
  const { upload } = requireUpload(exchange);
  await exchange.store.commit({ type: 'abort', uploadId: upload.id });
  respond(exchange, 204);
};

export const listParts: Operation = async (exchange) => {
  const { upload, parts } = requireUpload(exchange);
  const most = countQuery(exchange, 'max-parts');
  const marker = query(exchange, 'part-number-marker') ?? '0';
  if (!/^\d{1,10}$/.test(marker)) throw new S3Error('InvalidArgument', 'Provided part-number-marker not an integer');
  const { encode, type } = keyEncoding(exchange);
  const rest = [...parts.values()].filter((part) => part.number > Number(marker)).sort((a, b) => a.number - b.number);
  const page = rest.slice(0, most);
  const { checksum } = upload;
  respond(exchange, 200, {
    root: 'ListPartsResult',
    content: {
      Bucket: upload.bucket,
      EncodingType: type,
      Key: encode(upload.key),
      UploadId: upload.id,
      PartNumberMarker: Number(marker),
      NextPartNumberMarker: page.at(-1)?.number ?? Number(marker),
      MaxParts: most,
      IsTruncated: rest.length > page.length,
      ChecksumAlgorithm: checksum?.algorithm.toUpperCase(),
      ChecksumType: checksum?.type,
      Part: page.map((part) => ({
        PartNumber: part.number,
        LastModified: new Date(part.modifiedMs).toISOString(),
        ETag: `"${part.etag}"`,
        ...(checksum && { [checksumElement(checksum.algorithm)]: part.checksum }),
        Size: part.blob.sizeBytes,
      })),
      StorageClass: upload.headers['x-amz-storage-class'] ?? 'STANDARD',
    },
  });
};
