import { createECDH, createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { createBoundedCache } from './bounded-cache.ts';
import type { Credentials } from './principals.ts';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html

export const asymmetricAlgorithm = 'AWS4-ECDSA-P256-SHA256';

/** The order of the curve P-256, less two. */
const largestCandidate = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254fn;
const recentKeys = createBoundedCache<KeyObject>(64);

/**
 * The public key of a secret access key. The private key is derived with the counter mode of NIST SP 800-108, and
 * signs for all regions and days.
 */
export function asymmetricKey({ accessKeyId, secretAccessKey }: Credentials): KeyObject {
  const name = `${accessKeyId} ${secretAccessKey}`;
  const known = recentKeys.get(name);
  if (known) return known;
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(Buffer.from(privateKey(accessKeyId, secretAccessKey).toString(16).padStart(64, '0'), 'hex'));
  const point = curve.getPublicKey();
  const coordinate = (start: number): string => point.subarray(start, start + 32).toString('base64url');
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) },
    format: 'jwk',
  });
  recentKeys.set(name, key);
  return key;
}

function privateKey(accessKeyId: string, secretAccessKey: string): bigint {
  for (let counter = 1; counter <= 254; counter++) {
    const input = Buffer.concat([
      Buffer.from([0, 0, 0, 1]),
      Buffer.from(asymmetricAlgorithm),
      Buffer.from([0]),
      Buffer.from(accessKeyId),
      Buffer.from([counter]),
      Buffer.from([0, 0, 1, 0]),
    ]);
    const digest = createHmac('sha256', `AWS4A${secretAccessKey}`).update(input).digest('hex');
    const candidate = BigInt(`0x${digest}`);
    if (candidate <= largestCandidate) return candidate + 1n;
  }
  throw new Error('No key can be derived from this secret.');
}

/** Whether `signature`, in hexadecimal DER, is that of the text. */
export function verifyAsymmetric(key: KeyObject, text: string, signature: string): boolean {
  return /^([0-9a-f]{2})+$/i.test(signature) && verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'hex'));
}
