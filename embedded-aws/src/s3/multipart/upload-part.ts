import { receive } from '../bodies/receive-blob.ts';
import { type Payload, readPayload } from '../bodies/request-payload.ts';
import { copySourceRange, requireCopySize, requireCopySource } from '../objects/copy-source.ts';
import { setChecksumHeaders } from '../objects/object-headers.ts';
import { type ChecksumAlgorithm, checksumElement } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { type Exchange, type Operation, query, respond } from '../requests/exchange.ts';
import { requireUpload } from '../requests/requested-object.ts';
import type { Upload } from '../storage/bucket-state.ts';

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

/**
 * Stores the content as a part of the upload, with the checksum of the upload.
 * @throws NoSuchUpload when the upload has ended meanwhile, and what `receive` throws
 */
async function keepPart({ store }: Exchange, upload: Upload, number: number, content: Payload) {
  const { blob, etag, checksum } = await receive(store.blobs, content, upload.checksum?.algorithm);
  if (!store.state.uploads.has(upload.id)) {
    store.blobs.remove([blob.id]);
    throw new S3Error('NoSuchUpload', undefined, { details: { UploadId: upload.id } });
  }
  const kept = upload.checksum && checksum ? { checksum: checksum.value } : {};
  const part = { number, blob, etag, modifiedMs: store.now().getTime(), ...kept };
  await store.commit({ type: 'part', uploadId: upload.id, part });
  return { ...part, checksum };
}

export const uploadPart: Operation = async (exchange) => {
  const { response } = exchange;
  const number = partNumberOf(exchange);
  const { upload } = requireUpload(exchange);
  const payload = readPayload(exchange);
  const given = payload.checksumAlgorithm;
  requireFittingChecksum(upload, given);
  const { etag, checksum } = await keepPart(exchange, upload, number, payload);
  response.setHeader('ETag', `"${etag}"`);
  if (given) setChecksumHeaders(response, checksum);
  respond(exchange, 200);
};

/** Makes a part of the bytes of an object, or of some of them. */
export const uploadPartCopy: Operation = async (exchange) => {
  const { blobs } = exchange.store;
  const number = partNumberOf(exchange);
  const { upload } = requireUpload(exchange);
  const source = requireCopySource(exchange);
  const { start, end } = copySourceRange(exchange, source);
  requireCopySize(end - start);
  const part = await blobs.retain(source.blobs, () =>
    keepPart(exchange, upload, number, {
      chunks: blobs.read(source.blobs, start, end),
      sizeBytes: end - start,
      checksumAlgorithm: undefined,
      digests: new Map(),
      verify: () => {},
    }),
  );
  const { checksum } = part;
  respond(exchange, 200, {
    root: 'CopyPartResult',
    content: {
      LastModified: new Date(part.modifiedMs).toISOString(),
      ETag: `"${part.etag}"`,
      ...(checksum && { [checksumElement(checksum.algorithm)]: checksum.value }),
    },
  });
};
