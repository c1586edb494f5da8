import * as z from 'zod';
import { readParameter, replaceParameter } from '../parameters.ts';

/** A link is good for this long. */
export const signedSeconds = 6 * 3600;

const name = 'signing-keys';

const schema = z.object({
  /** the key that new links are signed with */
  current: z.string(),
  /** the one that will be, once every proxy has it */
  next: z.string().optional(),
  /** the one that was, and when its last link has expired: seconds since 1970 */
  retiring: z.object({ id: z.string(), untilSeconds: z.int() }).optional(),
  /** base64url secrets by key id: what proxies check links with */
  keys: z.record(z.string(), z.string()),
});
export type SigningKeys = z.infer<typeof schema>;

/** The keys that sign delivery paths. `fresh` asks the parameter store even if a value is at hand. */
export async function readSigningKeys(options: { fresh?: boolean } = {}): Promise<SigningKeys> {
  const stored = await readParameter(name, options);
  if (stored === undefined) throw new Error('the stage has no signing keys: set it up first');
  return schema.parse(JSON.parse(stored));
}

export const writeSigningKeys = (keys: SigningKeys): Promise<void> =>
  replaceParameter(name, JSON.stringify(schema.parse(keys)));
