import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createBoundedCache } from '../common/bounded-cache.ts';

type Secret = string | ArrayBuffer | ArrayBufferView;

/** By secret access key. The credentials of a Lambda on AWS are replaced after some hours. */
const accessKeys = createBoundedCache<KeyObject>(4);
const signingKeys = new WeakMap<object, KeyObject>();

/**
 * SHA-256 and HMAC for the signatures of AWS clients. Node creates an HMAC from a Buffer, as the default of the clients
 * does, in six times the time that it takes from a KeyObject. Clients pass the same signing key for each request.
 */
export const Sha256 = function sha256(secret?: Secret) {
  const key = secret === undefined ? undefined : keyObject(secret);
  const create = () => (key ? createHmac('sha256', key) : createHash('sha256'));
  let sum = create();
  return {
    update(data: Uint8Array): void {
      sum.update(data);
    },
    digest: async (): Promise<Uint8Array> => sum.digest(),
    reset(): void {
      sum = create();
    },
  };
} as unknown as NonNullable<DynamoDBClientConfig['sha256']>;

function keyObject(secret: Secret): KeyObject {
  const known = typeof secret === 'string' ? accessKeys.get(secret) : signingKeys.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  if (typeof secret === 'string') accessKeys.set(secret, key);
  else signingKeys.set(secret, key);
  return key;
}

function bytesOf(secret: Secret): Buffer {
  if (typeof secret === 'string') return Buffer.from(secret, 'utf8');
  return ArrayBuffer.isView(secret)
    ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
    : Buffer.from(secret);
}
