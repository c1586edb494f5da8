import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const secretRecord = z.object({ secret: z.string(), expiresAt: z.number() });

/** As long as access logs of a day are counted. */
const keptSeconds = 16 * 86_400;

/** When the secret of a UTC day expires, in seconds since 1970. Nobody can tell then whose IDs were made with it. */
export const secretExpiry = (date: string): number => Date.parse(date) / 1000 + keptSeconds;

/** The secret by which viewers of public videos are told apart on a UTC day. The first call makes it. */
export async function viewerSecret(date: string): Promise<string> {
  const key = keys.viewerSecret(date);
  for (;;) {
    const found = await getItem(secretRecord, key);
    // DynamoDB removes expired items some time later.
    if (found && found.expiresAt > nowSeconds()) return found.secret;
    const put = {
      ...key,
      kind: 'viewer-secret',
      secret: randomBytes(32).toString('base64url'),
      expiresAt: secretExpiry(date),
    };
    if (await tryWrite({ put, when: { exists: false } })) return put.secret;
  }
}
