import * as z from 'zod';
import { readParameter, replaceParameter } from '../aws/parameters.ts';

const name = 'signing-keys';

/** Earlier versions stored one key, or none. */
const listed = (stored: unknown): unknown => (Array.isArray(stored) ? stored : stored === undefined ? [] : [stored]);

const schema = z.object({
  /** the key that new URLs are signed with */
  current: z.string(),
  /** the one that will be, once every proxy has it */
  next: z.string().optional(),
  /** those that were, each with the time at which its last URL has expired: seconds since 1970 */
  retiring: z.preprocess(listed, z.array(z.object({ id: z.string(), untilSeconds: z.int() }))),
  /** base64url secrets by key id: what proxies check URLs with */
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
