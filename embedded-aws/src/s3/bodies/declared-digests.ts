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

/** What a client declares about the content of a body. */
export type DeclaredDigests = {
  /** The SHA-256 that the signature covers, in hex. */
  sha256: string | undefined;
  md5: Buffer | undefined;
  /** The value is missing when it follows the body as a trailer. */
  checksum: { algorithm: ChecksumAlgorithm; value?: string } | undefined;
};

export type Digests = Map<ChecksumAlgorithm | 'md5', Digest>;
export type DigestValues = Map<ChecksumAlgorithm | 'md5', Buffer>;

/** A header's value. Repeated headers are joined. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** @throws InvalidDigest */
export function declaredMd5(request: IncomingMessage): Buffer | undefined {
  const md5 = headerOf(request, 'content-md5');
  return md5 === undefined ? undefined : parseDigest(md5, 16, new S3Error('InvalidDigest'));
}

/** @throws InvalidRequest for several checksums or an unsupported trailer */
export function declaredChecksum(request: IncomingMessage): DeclaredDigests['checksum'] {
  const given = checksumAlgorithms.filter((algorithm) => request.headers[checksumHeader(algorithm)] !== undefined);
  const trailer = headerOf(request, 'x-amz-trailer')?.toLowerCase();
  const trailing = checksumAlgorithms.filter((algorithm) => trailer === checksumHeader(algorithm));
  if (given.length + trailing.length > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  if (given[0]) return { algorithm: given[0], value: headerOf(request, checksumHeader(given[0]))! };
  if (trailing[0]) return { algorithm: trailing[0] };
  if (trailer !== undefined) {
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
  }
  return undefined;
}

/** The digests that have to be computed to verify what was declared. */
export function digestsFor({ sha256, md5, checksum }: DeclaredDigests): Digests {
  const digests: Digests = new Map();
  if (checksum) digests.set(checksum.algorithm, digestOf(checksum.algorithm));
  if (sha256) digests.set('sha256', digestOf('sha256'));
  if (md5) digests.set('md5', digestOf('md5'));
  return digests;
}

/** @throws XAmzContentSHA256Mismatch, BadDigest, InvalidRequest */
export function verifyDigests({ sha256, md5, checksum }: DeclaredDigests, computed: DigestValues): void {
  const computedSha256 = computed.get('sha256')?.toString('hex') ?? '';
  if (sha256 && computedSha256 !== sha256) {
    throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
      details: { ClientComputedContentSHA256: sha256, S3ComputedContentSHA256: computedSha256 },
    });
  }
  if (md5 && !computed.get('md5')?.equals(md5)) {
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  if (!checksum) return;
  const { algorithm, value = '' } = checksum;
  const invalid = new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
  const expected = parseDigest(value, digestBytes[algorithm], invalid);
  if (computed.get(algorithm)?.equals(expected)) return;
  const name = algorithm.toUpperCase();
  throw new S3Error('BadDigest', `The ${name} you specified did not match the calculated checksum.`);
}

/** Decodes Base64 of exactly `bytes` bytes. @throws `error` */
function parseDigest(value: string, bytes: number, error: S3Error): Buffer {
  const digest = Buffer.from(value, 'base64');
  if (digest.length !== bytes || digest.toString('base64') !== value) throw error;
  return digest;
}
