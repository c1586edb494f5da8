import * as z from 'zod';
import { sha256 } from '../../common/secret.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const poolTokenRecord = z.object({ tokenHash: z.string() });

/** SHA-256, in hexadecimal digits, of the secret that the workers of the pool call with; undefined before the stage is set up. */
export const findPoolTokenHash = async (): Promise<string | undefined> =>
  (await getItem(poolTokenRecord, keys.poolToken()))?.tokenHash;

/** Has workers that call with this secret known as the pool's, and no others. */
export async function keepPoolToken(secret: string): Promise<void> {
  await write({ put: { ...keys.poolToken(), kind: 'pool-token', tokenHash: sha256(secret) } });
}
