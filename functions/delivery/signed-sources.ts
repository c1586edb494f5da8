import { randomBytes } from 'node:crypto';
import { nowSeconds } from '../../shared/clock.ts';
import type { Output } from '../../shared/records.ts';
import signedUrl from '../../shared/signed-url.js';
import type { ProxyNode } from '../../shared/table/nodes.ts';
import { readSigningKeys, signedSeconds } from './signing-keys.ts';

/** An address on the proxy for each completed output, good for six hours. All of them belong to one session of one viewer. */
export async function signedSources(proxy: ProxyNode, outputs: readonly Output[]) {
  const { current, keys } = await readSigningKeys();
  const secret = keys[current];
  if (secret === undefined) throw new Error(`there is no signing key ${current}`);
  const session = randomBytes(12).toString('base64url');
  const expiresSeconds = nowSeconds() + signedSeconds;
  return outputs.flatMap(({ status, format, entryKey: objectKey }) => {
    if (status !== 'completed' || objectKey === null) return [];
    const path = signedUrl.signPath({ keyId: current, secret, expiresSeconds, session, objectKey });
    return [{ format, url: `${proxy.scheme}://${proxy.hostname}${path}` }];
  });
}
