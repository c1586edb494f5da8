import type { IncomingMessage } from 'node:http';
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumHeader,
  type Digest,
  digestBytes,
  digestOf,
} from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { Exchange } from '../requests/exchange.ts';
import { decodeChunked } from './aws-chunked.ts';

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
  digests: Map<ChecksumAlgorithm | 'md5', Digest>;
  /**
   * Compares the results of the digests with what the client sent.
   * @throws XAmzContentSHA256Mismatch, BadDigest, IncompleteBody
   */
  verify(computed: Map<ChecksumAlgorithm | 'md5', Buffer>): void;
};

const streaming = /^STREAMING-(UNSIGNED-PAYLOAD|AWS4-HMAC-SHA256-PAYLOAD)(-TRAILER)?$/;

function single(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function lengthHeader(request: IncomingMessage, name: string): number {
  const value = single(request, name);
  if (value === undefined) throw new S3Error('MissingContentLength');
  if (!/^\d{1,15}$/.test(value)) throw new S3Error('InvalidArgument', `Invalid ${name}`);
  return Number(value);
}

function announcedChecksum(request: IncomingMessage): { algorithm: ChecksumAlgorithm; value?: string } | undefined {
  const given = checksumAlgorithms.filter((algorithm) => request.headers[checksumHeader(algorithm)] !== undefined);
  const trailer = single(request, 'x-amz-trailer')?.toLowerCase();
  const trailing = checksumAlgorithms.filter((algorithm) => trailer === checksumHeader(algorithm));
  if (given.length + trailing.length > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  if (given[0]) return { algorithm: given[0], value: single(request, checksumHeader(given[0]))! };
  if (trailing[0]) return { algorithm: trailing[0] };
  if (trailer !== undefined)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
  return undefined;
}

/** Decodes Base64 of exactly `bytes` bytes. @throws `error` */
function parseDigest(value: string, bytes: number, error: S3Error): Buffer {
  const digest = Buffer.from(value, 'base64');
  if (digest.length !== bytes || digest.toString('base64') !== value) throw error;
  return digest;
}

/**
 * Reads the headers that describe the body, but not the body.
 * @throws S3Error for headers that are invalid or contradict each other
 */
export function readPayload(
  { request, authentication, body }: Pick<Exchange, 'request' | 'authentication' | 'body'>,
  { checksumIsOfBody } = { checksumIsOfBody: true },
): Payload {
  const { payloadHash, seed } = authentication;
  const stream = streaming.exec(payloadHash);
  const signedHash = /^[0-9a-f]{64}$/i.test(payloadHash) ? payloadHash.toLowerCase() : undefined;
  if (!stream && !signedHash && payloadHash !== 'UNSIGNED-PAYLOAD') {
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
    );
  }
  const sizeBytes = lengthHeader(request, stream ? 'x-amz-decoded-content-length' : 'content-length');
  const announced = checksumIsOfBody ? announcedChecksum(request) : undefined;
  const md5 = single(request, 'content-md5');
  const expectedMd5 = md5 === undefined ? undefined : parseDigest(md5, 16, new S3Error('InvalidDigest'));

  const digests: Payload['digests'] = new Map();
  if (announced) digests.set(announced.algorithm, digestOf(announced.algorithm));
  if (signedHash) digests.set('sha256', digestOf('sha256'));
  if (expectedMd5) digests.set('md5', digestOf('md5'));

  let checksum = announced?.value;
  const decoded = stream
    ? decodeChunked(body, {
        ...(stream[1] !== 'UNSIGNED-PAYLOAD' && seed ? { seed } : {}),
        trailers: stream[2] !== undefined,
        onTrailer(name, value) {
          if (announced && name === checksumHeader(announced.algorithm)) checksum = value;
        },
      })
    : body;

  return {
    chunks: exactly(sizeBytes, decoded),
    sizeBytes,
    checksumAlgorithm: announced?.algorithm,
    digests,
    verify(computed) {
      if (signedHash && computed.get('sha256')?.toString('hex') !== signedHash) {
        throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
          details: {
            ClientComputedContentSHA256: signedHash,
            S3ComputedContentSHA256: computed.get('sha256')?.toString('hex') ?? '',
          },
        });
      }
      if (expectedMd5 && !computed.get('md5')?.equals(expectedMd5)) {
        throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
      }
      if (!announced) return;
      const { algorithm } = announced;
      const invalid = new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
      const expected = parseDigest(checksum ?? '', digestBytes[algorithm], invalid);
      if (!computed.get(algorithm)?.equals(expected)) {
        throw new S3Error(
          'BadDigest',
          `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`,
        );
      }
    },
  };
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
  const computed = new Map<ChecksumAlgorithm | 'md5', Buffer>();
  for (const [name, digest] of payload.digests) {
    digest.update(body);
    computed.set(name, digest.digest());
  }
  payload.verify(computed);
  return body;
}
