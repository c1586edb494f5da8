import { type Checksum, type ChecksumAlgorithm, digestOf } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { Blob, Blobs } from '../storage/blobs.ts';
import type { Payload } from './request-payload.ts';

/** The maximum size of one PUT, one part or one copy. */
export const maxBlobBytes = 5 * 1024 ** 3;

export type Received = { blob: Blob; etag: string; checksum: Checksum | undefined };

/**
 * Stores a body and verifies it against the length, hashes and checksums that the client sent. A body that fails is
 * deleted. Without a checksum of the client, one is computed with `algorithm`.
 * @throws EntityTooLarge, BadDigest and others
 */
export async function receive(
  blobs: Blobs,
  payload: Payload,
  algorithm: ChecksumAlgorithm | undefined = payload.checksumAlgorithm,
): Promise<Received> {
  if (payload.sizeBytes > maxBlobBytes) {
    throw new S3Error('EntityTooLarge', undefined, {
      details: { ProposedSize: payload.sizeBytes, MaxSizeAllowed: maxBlobBytes },
    });
  }
  if (!payload.digests.has('md5')) payload.digests.set('md5', digestOf('md5'));
  if (algorithm && !payload.digests.has(algorithm)) payload.digests.set(algorithm, digestOf(algorithm));
  const blob = await blobs.write(payload.chunks, payload.digests.values());
  const computed = new Map([...payload.digests].map(([name, digest]) => [name, digest.digest()]));
  try {
    payload.verify(computed);
  } catch (error) {
    blobs.remove([blob.id]);
    throw error;
  }
  const checksum = algorithm && computed.get(algorithm);
  return {
    blob,
    etag: computed.get('md5')!.toString('hex'),
    checksum: algorithm && checksum && { algorithm, type: 'FULL_OBJECT', value: checksum.toString('base64') },
  };
}
