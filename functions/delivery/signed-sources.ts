import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../shared/clock.ts';
import type { Output } from '../../shared/records.ts';
import signedUrl from '../../shared/signed-url.js';
import type { ProxyNode } from '../../shared/table/nodes.ts';
import { readParameter } from '../parameters.ts';

const signedSeconds = 6 * 3600;

const signingKeys = z.object({ current: z.string(), keys: z.record(z.string(), z.string()) });

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

async function readSigningKeys(): Promise<z.infer<typeof signingKeys>> {
  const stored = await readParameter('signing-keys');
  if (stored === undefined) throw new Error('the stage has no signing keys: set it up first');
  return signingKeys.parse(JSON.parse(stored));
}
