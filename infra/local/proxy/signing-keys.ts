import { z } from 'zod';

const documentSchema = z.object({ current: z.string(), keys: z.record(z.string(), z.string()) });

/** How often an unknown key id may make the keys be read again: it costs a request, and anyone can make one up. */
const shortestWaitMs = 1000;
/** A key that a rotation has dropped opens nothing any more after this long. */
const longestWaitMs = 60_000;

/**
 * The secrets that signed paths are checked with, by key id. They are read once a minute, and when a path names a key that is not among them, as
 * after a rotation.
 * @param read the JSON text of the signing keys; undefined while there are none
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

/** So that a path cannot name `constructor` as its key. */
const withoutPrototype = (keys: Record<string, string>): Record<string, string> =>
  Object.assign(Object.create(null), keys);
