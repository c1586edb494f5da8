import { createHash } from 'node:crypto';
import { combineCrcs, crc } from './crc.ts';
import { S3Error } from './s3-errors.ts';

export const checksumAlgorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/**
 * COMPOSITE is computed from the checksums of the parts and ends with `-N`. FULL_OBJECT is computed from the content.
 */
export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT';
/** `value` is Base64. */
export type Checksum = { algorithm: ChecksumAlgorithm; type: ChecksumType; value: string };

export type Digest = { update(chunk: Buffer): void; digest(): Buffer };

export function digestOf(algorithm: ChecksumAlgorithm | 'md5'): Digest {
  if (algorithm === 'md5' || algorithm === 'sha1' || algorithm === 'sha256') {
    const hash = createHash(algorithm);
    return {
      update(chunk) {
        hash.update(chunk);
      },
      digest: () => hash.digest(),
    };
  }
  return crc(algorithm);
}

export const digestBytes: Record<ChecksumAlgorithm, number> = {
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
};

/** Parses a value of x-amz-checksum-algorithm. @throws InvalidRequest */
export function parseAlgorithm(name: string): ChecksumAlgorithm {
  const found = checksumAlgorithms.find((algorithm) => algorithm === name.toLowerCase());
  if (!found) throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  return found;
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm}`;
}

/** The name of the XML element, such as ChecksumCRC32. */
export function checksumElement(algorithm: ChecksumAlgorithm): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

/**
 * The checksum type of a multipart upload, with the default of its algorithm.
 * @throws InvalidRequest for combinations that S3 rejects
 */
export function parseChecksumType(algorithm: ChecksumAlgorithm, type: string | undefined): ChecksumType {
  const hash = algorithm === 'sha1' || algorithm === 'sha256';
  const chosen = type ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE');
  if (chosen === 'COMPOSITE' && algorithm !== 'crc64nvme') return chosen;
  if (chosen === 'FULL_OBJECT' && !hash) return chosen;
  throw new S3Error(
    'InvalidRequest',
    `The ${chosen} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
  );
}

/** Computes the checksum of an object from the checksums of its parts. */
export function combineChecksums(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: { checksum: string; sizeBytes: number }[],
): Checksum {
  const digests = parts.map((part) => ({ digest: Buffer.from(part.checksum, 'base64'), sizeBytes: part.sizeBytes }));
  if (type === 'FULL_OBJECT' && algorithm !== 'sha1' && algorithm !== 'sha256') {
    return { algorithm, type, value: combineCrcs(algorithm, digests).toString('base64') };
  }
  const ofDigests = digestOf(algorithm);
  for (const { digest } of digests) ofDigests.update(digest);
  return { algorithm, type, value: `${ofDigests.digest().toString('base64')}-${parts.length}` };
}
