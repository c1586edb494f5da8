import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { sha256 } from '../../common/secret.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const knownSeconds = 90 * 24 * 3600;

/** Remembers that an account was signed in from a network. Both are kept as hashes: no list of addresses is made. */
export async function noteKnownNetwork(account: string, network: string): Promise<void> {
  const key = keys.knownNetwork(account, sha256(network));
  await write({ put: { ...key, kind: 'known-network', expiresAt: nowSeconds() + knownSeconds } });
}

/** Whether the account was signed in from that network within 90 days. */
export async function isKnownNetwork(account: string, network: string): Promise<boolean> {
  const known = await getItem(z.object({ expiresAt: z.number() }), keys.knownNetwork(account, sha256(network)));
  return known !== undefined && known.expiresAt > nowSeconds();
}
