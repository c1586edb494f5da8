import type { IncomingMessage } from 'node:http';
import { type ChecksumAlgorithm, checksumHeader } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { Authentication } from '../requests/authenticate.ts';
import type { Exchange } from '../requests/exchange.ts';
import { decodeChunked } from './aws-chunked.ts';
import {
  type DeclaredDigests,
  type Digests,
  type DigestValues,
  declaredChecksum,
  declaredMd5,
  digestsFor,
  headerOf,
  verifyDigests,
} from './declared-digests.ts';

/**
 * The decoded body of a request. It may only be kept after `verify` has succeeded, which is called after the last
 * chunk.
 */
export type Payload = {
  chunks: AsyncIterable<Buffer>;
  sizeBytes: number;
  /** The algorithm of the client's checksum. Its value may follow the body as a trailer. */
  checksumAlgorithm: ChecksumAlgorithm | undefined;
  /** The digests that `verify` needs. Each has to receive every chunk. */
  digests: Digests;
  /** Compares the results of the digests with what the client sent. @throws XAmzContentSHA256Mismatch, BadDigest */
  verify(computed: DigestValues): void;
};

/** How the body is sent, by x-amz-content-sha256. */
type Transfer = { sha256: string | undefined; chunked?: { signed: boolean; trailers: boolean } };

/**
 * Reads the headers that describe the body, but not the body.
 * @throws S3Error for headers that are invalid or contradict each other
 */
export function readPayload(
  { request, authentication, body }: Pick<Exchange, 'request' | 'authentication' | 'body'>,
  { checksumIsOfBody } = { checksumIsOfBody: true },
): Payload {
  const { sha256, chunked } = transferOf(authentication);
  const sizeBytes = lengthHeader(request, chunked ? 'x-amz-decoded-content-length' : 'content-length');
  const declared: DeclaredDigests = {
    sha256,
    checksum: checksumIsOfBody ? declaredChecksum(request) : undefined,
    md5: declaredMd5(request),
  };
  const { checksum } = declared;
  const onTrailer = (name: string, value: string): void => {
    if (checksum && name === checksumHeader(checksum.algorithm)) checksum.value = value;
  };
  const { seed } = authentication;
  const decoded = chunked
    ? decodeChunked(body, { ...(chunked.signed && seed && { seed }), trailers: chunked.trailers, onTrailer })
    : body;
  return {
    chunks: exactly(sizeBytes, decoded),
    sizeBytes,
    checksumAlgorithm: checksum?.algorithm,
    digests: digestsFor(declared),
    verify: (computed) => verifyDigests(declared, computed),
  };
}

/** @throws InvalidArgument */
function transferOf({ payloadHash }: Authentication): Transfer {
  const streaming = /^STREAMING-(UNSIGNED-PAYLOAD|AWS4-HMAC-SHA256-PAYLOAD)(-TRAILER)?$/.exec(payloadHash);
  if (streaming) {
    const [, kind, trailer] = streaming;
    return { sha256: undefined, chunked: { signed: kind !== 'UNSIGNED-PAYLOAD', trailers: trailer !== undefined } };
  }
  if (payloadHash === 'UNSIGNED-PAYLOAD') return { sha256: undefined };
  if (/^[0-9a-f]{64}$/i.test(payloadHash)) return { sha256: payloadHash.toLowerCase() };
  throw new S3Error(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
  );
}

function lengthHeader(request: IncomingMessage, name: string): number {
  const value = headerOf(request, name);
  if (value === undefined) throw new S3Error('MissingContentLength');
  if (!/^\d{1,15}$/.test(value)) throw new S3Error('InvalidArgument', `Invalid ${name}`);
  return Number(value);
}

async function* exactly(sizeBytes: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of source) {
    received += chunk.length;
    if (received > sizeBytes) throw new S3Error('IncompleteBody', 'The body is longer than its announced length');
    yield chunk;
  }
  if (received < sizeBytes) throw new S3Error('IncompleteBody');
}

/** Reads and verifies a small body, such as an XML document. @throws MaxMessageLengthExceeded over `limitBytes` */
export async function readWhole(payload: Payload, limitBytes: number): Promise<Buffer> {
  if (payload.sizeBytes > limitBytes) throw new S3Error('MaxMessageLengthExceeded');
  const pieces: Buffer[] = [];
  for await (const chunk of payload.chunks) pieces.push(chunk);
  const body = Buffer.concat(pieces);
  const computed: DigestValues = new Map();
  for (const [name, digest] of payload.digests) {
    digest.update(body);
    computed.set(name, digest.digest());
  }
  payload.verify(computed);
  return body;
}
