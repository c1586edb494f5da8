import { randomBytes } from 'node:crypto';
import { nowSeconds, timestamp } from '../../shared/clock.ts';
import signedUrl from '../../shared/delivery/signed-url.js';
import type { ProxyNode } from '../table/nodes/node-table.ts';
import { readSigningKeys } from './signing-keys.ts';

/** Signs the URLs that one viewer gets for one session. */
export type UrlSigner = {
  expiresAt: string;
  /** the signed URL of an object on the proxy */
  sign: (objectKey: string) => string;
};

export async function createUrlSigner(proxy: ProxyNode, lifetimeSeconds: number): Promise<UrlSigner> {
  const { current: keyId, keys } = await readSigningKeys();
  const secret = keys[keyId];
  if (secret === undefined) throw new Error(`there is no signing key ${keyId}`);
  const expiresSeconds = nowSeconds() + lifetimeSeconds;
  const claims = { keyId, secret, session: randomBytes(12).toString('base64url'), expiresSeconds };
  return {
    expiresAt: timestamp(expiresSeconds * 1000),
    sign: (objectKey) => `${proxy.scheme}://${proxy.hostname}${signedUrl.signPath({ ...claims, objectKey })}`,
  };
}
