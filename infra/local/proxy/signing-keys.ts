import { z } from 'zod';

const documentSchema = z.object({ current: z.string(), keys: z.record(z.string(), z.string()) });

/**
 * The shortest time between two reads because of an unknown key id: a read costs a request, and anyone can send unknown
 * ids.
 */
const shortestWaitMs = 1000;
/** The longest time for which a removed key remains valid. */
const longestWaitMs = 60_000;

/**
 * The secrets of the signing keys, by key id. They are read once a minute, and when a path names an unknown key id, as
 * after a rotation.
 * @param read returns the JSON text of the signing keys, or undefined while there are none
 */
export function createSigningKeys(read: () => string | undefined, now: () => number = Date.now) {
  let keys: Record<string, string> = withoutPrototype({});
  let readAtMs = Number.NEGATIVE_INFINITY;
  return (keyId: string): Record<string, string> => {
    if (now() - readAtMs >= (Object.hasOwn(keys, keyId) ? longestWaitMs : shortestWaitMs)) {
      readAtMs = now();
      const text = read();
      if (text !== undefined) keys = withoutPrototype(documentSchema.parse(JSON.parse(text)).keys);
    }
    return keys;
  };
}

/** Without a prototype, so that a path cannot use `constructor` as its key. */
const withoutPrototype = (keys: Record<string, string>): Record<string, string> =>
  Object.assign(Object.create(null), keys);
