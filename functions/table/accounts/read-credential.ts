import type * as z from 'zod';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { getItem, getItems } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import type { User } from '../records.ts';
import { presentUser } from './user-table.ts';

/** The owners of the credentials that this instance has read. A credential never changes its owner. */
const owners = createBoundedCache<string>(1000);

/**
 * The record of a credential. When this instance has read the credential before, its user is read in the same request.
 * Both are read at each call, so that a revoked credential and a deleted user are noticed at once.
 */
export async function readCredential<Schema extends z.ZodType>(
  schema: Schema,
  key: Key,
  ownerOf: (record: z.infer<Schema>) => string,
): Promise<{ record?: z.infer<Schema>; user?: User }> {
  const owner = owners.get(key.pk);
  if (owner === undefined) {
    const record = await getItem(schema, key);
    if (record === undefined) return {};
    owners.set(key.pk, ownerOf(record));
    return { record };
  }
  const userKey = keys.user(owner);
  const items = await getItems([key, userKey]);
  const item = items.find(({ pk }) => pk === key.pk);
  const user = presentUser(items.find(({ pk }) => pk === userKey.pk));
  return { ...(item && { record: schema.parse(item) }), ...(user && { user }) };
}
