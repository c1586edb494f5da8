import * as z from 'zod';
import { readParameter, replaceParameter } from '../aws/parameters.ts';

const name = 'signing-keys';

/** Also reads the earlier formats: one key, or none. */
const toList = (stored: unknown): unknown => (Array.isArray(stored) ? stored : stored === undefined ? [] : [stored]);

const schema = z.object({
  /** ID of the key that signs new URLs */
  current: z.string(),
  /** ID of the key that becomes the current one as soon as every proxy has it */
  next: z.string().optional(),
  /** previous keys, each with the Unix time in seconds at which its last URL expires */
  retiring: z.preprocess(toList, z.array(z.object({ id: z.string(), untilSeconds: z.int() }))),
  /** base64url secrets by key ID, with which proxies verify URLs */
  keys: z.record(z.string(), z.string()),
  /** the keys in the store of the stage's distribution, and the Unix time in seconds at which the last one was added */
  edge: z.object({ store: z.string(), ids: z.array(z.string()), addedAtSeconds: z.int() }).optional(),
});
export type SigningKeys = z.infer<typeof schema>;

/** The keys that sign delivery URLs. `fresh` bypasses the cache. */
export async function readSigningKeys(options: { fresh?: boolean } = {}): Promise<SigningKeys> {
  const stored = await readParameter(name, options);
  if (stored === undefined) throw new Error('the stage has no signing keys: invoke the setup function first');
  return schema.parse(JSON.parse(stored));
}

export const writeSigningKeys = (keys: SigningKeys): Promise<void> =>
  replaceParameter(name, JSON.stringify(schema.parse(keys)));
