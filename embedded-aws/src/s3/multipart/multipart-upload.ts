import { randomBytes } from 'node:crypto';
import { receive } from '../bodies/receive-blob.ts';
import { readPayload } from '../bodies/request-payload.ts';
import { objectHeaders, setChecksumHeaders } from '../objects/object-headers.ts';
import { parseTagHeader } from '../objects/object-tags.ts';
import { type ChecksumAlgorithm, checksumElement, parseAlgorithm, parseChecksumType } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import {
  countQuery,
  type Exchange,
  header,
  keyEncoding,
  type Operation,
  query,
  respond,
} from '../requests/exchange.ts';
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

function partNumberOf(exchange: Exchange): number {
  const value = query(exchange, 'partNumber') ?? '';
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= 10_000) return Number(value);
  throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive', {
    details: { ArgumentName: 'partNumber', ArgumentValue: value },
  });
}

/**
 * An upload with a checksum algorithm requires it for each part. An upload without one accepts parts with any checksum,
 * which SDKs send by default; it is verified, but not stored.
 * @throws InvalidRequest
 */
function requireFittingChecksum({ checksum }: Upload, given: ChecksumAlgorithm | undefined): void {
  if (!checksum || given === checksum.algorithm) return;
  if (given === undefined && checksum.type === 'FULL_OBJECT') return;
  const message = `Checksum Type mismatch occurred, expected checksum Type: ${checksum.algorithm}, actual checksum Type: ${given ?? 'null'}`;
  throw new S3Error('InvalidRequest', message);
}

export const uploadPart: Operation = async (exchange) => {
  const { store, response } = exchange;
  const number = partNumberOf(exchange);
  if (header(exchange, 'x-amz-copy-source') !== undefined) throw new S3Error('NotImplemented');
  const { upload } = requireUpload(exchange);
  const payload = readPayload(exchange);
  const given = payload.checksumAlgorithm;
  requireFittingChecksum(upload, given);
  const { blob, etag, checksum } = await receive(store.blobs, payload, upload.checksum?.algorithm);
  if (!store.state.uploads.has(upload.id)) {
    store.blobs.remove([blob.id]);
    throw new S3Error('NoSuchUpload', undefined, { details: { UploadId: upload.id } });
  }
  const kept = upload.checksum && checksum ? { checksum: checksum.value } : {};
  const part = { number, blob, etag, modifiedMs: store.now().getTime(), ...kept };
  await store.commit({ type: 'part', uploadId: upload.id, part });
  response.setHeader('ETag', `"${etag}"`);
  if (given) setChecksumHeaders(response, checksum);
  respond(exchange, 200);
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
