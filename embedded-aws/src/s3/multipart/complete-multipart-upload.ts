import { createHash } from 'node:crypto';
import { encodePath } from '../../http/uri-encoding.ts';
import { sha256Hex } from '../../iam/signature-v4.ts';
import { readPayload, readWhole } from '../bodies/request-payload.ts';
import { requireWriteConditions } from '../objects/conditional-headers.ts';
import { commitObject } from '../objects/put-object.ts';
import {
  type Checksum,
  checksumAlgorithms,
  checksumElement,
  checksumHeader,
  combineChecksums,
} from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { elements, parseXml, text } from '../protocol/s3-xml.ts';
import { type Exchange, header, type Operation, query, respond } from '../requests/exchange.ts';
import { requireUpload } from '../requests/requested-object.ts';
import { type CompletedObject, findObject, type Part, type Upload } from '../storage/bucket-state.ts';

const minPartBytes = 5 * 1024 ** 2;
const maxObjectBytes = 5 * 1024 ** 4;
const maxBodyBytes = 8 * 1024 ** 2;

type NamedPart = { number: number; etag: string; checksums: Record<string, string> };

/** Parses the document of CompleteMultipartUpload. @throws MalformedXML, InvalidArgument */
function parseParts(body: Buffer): NamedPart[] {
  const parts = elements(parseXml(body, 'CompleteMultipartUpload'), 'Part').map((part) => {
    const [number, etag] = [text(part, 'PartNumber')?.trim(), text(part, 'ETag')?.trim()];
    if (!etag || !/^\d{1,9}$/.test(number ?? '')) throw new S3Error('MalformedXML');
    const checksums: Record<string, string> = {};
    for (const algorithm of checksumAlgorithms) {
      const value = text(part, checksumElement(algorithm))?.trim();
      if (value) checksums[algorithm] = value;
    }
    return { number: Number(number), etag: etag.replace(/^"|"$/g, ''), checksums };
  });
  if (parts.length === 0) throw new S3Error('MalformedXML');
  if (parts.some(({ number }) => number < 1 || number > 10_000)) {
    throw new S3Error('InvalidArgument', 'PartNumber must be >= 1 and <= 10000');
  }
  return parts;
}

/**
 * The stored parts that the request lists.
 * @throws InvalidPartOrder, InvalidPart, InvalidRequest, EntityTooSmall, EntityTooLarge
 */
function selectParts(upload: Upload, stored: Map<number, Part>, named: NamedPart[]): Part[] {
  if (named.some((part, index) => index > 0 && part.number <= named[index - 1]!.number)) {
    throw new S3Error('InvalidPartOrder', undefined, { details: { UploadId: upload.id } });
  }
  const selected = named.map(({ number, etag, checksums }) => {
    const part = stored.get(number);
    const given = upload.checksum && checksums[upload.checksum.algorithm];
    if (!part || part.etag !== etag || (given !== undefined && given !== part.checksum)) {
      throw new S3Error('InvalidPart', undefined, { details: { UploadId: upload.id, PartNumber: number, ETag: etag } });
    }
    if (upload.checksum?.type === 'COMPOSITE' && given === undefined) {
      const { algorithm } = upload.checksum;
      const message = `The upload was created using a ${algorithm} checksum. The complete request must include the checksum for each part. It was missing for part ${number} in the request.`;
      throw new S3Error('InvalidRequest', message);
    }
    return part;
  });
  const short = selected.slice(0, -1).find((part) => part.blob.sizeBytes < minPartBytes);
  if (short) {
    throw new S3Error('EntityTooSmall', undefined, {
      details: {
        ProposedSize: short.blob.sizeBytes,
        MinSizeAllowed: minPartBytes,
        PartNumber: short.number,
        ETag: short.etag,
      },
    });
  }
  if (sizeOf(selected) > maxObjectBytes) throw new S3Error('EntityTooLarge');
  return selected;
}

function sizeOf(parts: Part[]): number {
  return parts.reduce((sum, part) => sum + part.blob.sizeBytes, 0);
}

function multipartEtag(parts: Part[]): string {
  const md5 = createHash('md5');
  for (const part of parts) md5.update(Buffer.from(part.etag, 'hex'));
  return `${md5.digest('hex')}-${parts.length}`;
}

/**
 * Compares the size and checksum of the object with those that the request declares.
 * @throws BadDigest, InvalidRequest
 */
function requireDeclaredTotals(exchange: Exchange, checksum: Checksum | undefined, sizeBytes: number): void {
  const declared = checksum && header(exchange, checksumHeader(checksum.algorithm));
  if (declared !== undefined && declared.split('-')[0] !== checksum!.value.split('-')[0]) {
    const name = checksum!.algorithm.toUpperCase();
    throw new S3Error('BadDigest', `The ${name} you specified did not match the calculated checksum.`);
  }
  const declaredSize = header(exchange, 'x-amz-mp-object-size');
  if (declaredSize !== undefined && Number(declaredSize) !== sizeBytes) {
    throw new S3Error(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${declaredSize} does not match what was computed: ${sizeBytes}`,
    );
  }
}

function respondCompleted(exchange: Exchange, { bucket, key, etag, checksum }: CompletedObject): void {
  respond(exchange, 200, {
    root: 'CompleteMultipartUploadResult',
    content: {
      Location: `http://${header(exchange, 'host')}/${bucket}/${encodePath(key)}`,
      Bucket: bucket,
      Key: key,
      ETag: `"${etag}"`,
      ...(checksum && { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type }),
    },
  });
}

/**
 * The files of the parts become the files of the object, so the duration depends on the number of parts, not on their
 * size.
 */
export const completeMultipartUpload: Operation = async (exchange) => {
  const { store, request, bucket, target } = exchange;
  const payload = readPayload(exchange, { checksumIsOfBody: false });
  const named = parseParts(await readWhole(payload, maxBodyBytes));
  const list = sha256Hex(JSON.stringify(named.map(({ number, etag }) => [number, etag])));

  const before = store.state.completions.get(query(exchange, 'uploadId') ?? '');
  if (before && before.parts === list && before.object.bucket === target.bucket && before.object.key === target.key) {
    return respondCompleted(exchange, before.object);
  }
  const { upload, parts: stored } = requireUpload(exchange);
  const parts = selectParts(upload, stored, named);
  const sizeBytes = sizeOf(parts);
  const checksum =
    upload.checksum &&
    combineChecksums(
      upload.checksum.algorithm,
      upload.checksum.type,
      parts.map((part) => ({ checksum: part.checksum!, sizeBytes: part.blob.sizeBytes })),
    );
  requireDeclaredTotals(exchange, checksum, sizeBytes);
  requireWriteConditions(findObject(store.state, target.bucket, target.key), request.headers);

  const { key, headers, tags } = upload;
  const object = await commitObject(
    store,
    bucket,
    {
      bucket: upload.bucket,
      key,
      blobs: parts.map((part) => part.blob),
      sizeBytes,
      etag: multipartEtag(parts),
      headers,
      ...(tags && { tags }),
      ...(checksum && { checksum }),
    },
    { reason: 'CompleteMultipartUpload', completion: { uploadId: upload.id, parts: list } },
  );
  respondCompleted(exchange, object);
};
