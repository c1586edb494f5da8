import * as z from 'zod';
import { sha256 } from '../../common/secret.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** The node that Fargate tasks and the worker processes of a single machine belong to. It has no node record. */
export const poolNode = 'pool';

const poolTokenRecord = z.object({ tokenHash: z.string() });

/**
 * SHA-256, in hexadecimal digits, of the secret that the pool's workers authenticate with. Undefined before the service
 * is set up.
 */
export const findPoolTokenHash = async (): Promise<string | undefined> =>
  (await getItem(poolTokenRecord, keys.poolToken()))?.tokenHash;

/** Makes a secret the only one that the pool's workers can authenticate with. */
export async function storePoolToken(secret: string): Promise<void> {
  await write({ put: { ...keys.poolToken(), kind: 'pool-token', tokenHash: sha256(secret) } });
}
