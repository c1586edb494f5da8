import { nowSeconds } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { putSigningKey } from './edge-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The time after which every edge location has a new key. A change usually needs some seconds. */
const propagationSeconds = 60;

/** The keys that the store of the stage's distribution does not have. They are none on a stage without one. */
function missingKeys({ keys, edge }: SigningKeys): string[] {
  const store = readEnvironment('EDGE_KEY_VALUE_STORE_ARN');
  if (store === undefined) return [];
  const known = edge?.store === store ? edge.ids : [];
  return Object.keys(keys).filter((id) => !known.includes(id));
}

/**
 * Adds missing keys to the store of the distribution. Returns the keys with a record of that, or the same object if
 * none is missing. A stage that gets a distribution later, or another store, has its keys after the next call.
 */
export async function addToEdge(signing: SigningKeys): Promise<SigningKeys> {
  const missing = missingKeys(signing);
  if (missing.length === 0) return signing;
  for (const id of missing) await putSigningKey(id, signing.keys[id]!);
  const store = readEnvironment('EDGE_KEY_VALUE_STORE_ARN')!;
  return { ...signing, edge: { store, ids: Object.keys(signing.keys), addedAtSeconds: nowSeconds() } };
}

/** Whether the distribution accepts URLs of a key everywhere, or the stage has no distribution. */
export function edgeAccepts(signing: SigningKeys, keyId: string): boolean {
  if (readEnvironment('EDGE_KEY_VALUE_STORE_ARN') === undefined) return true;
  if (missingKeys(signing).includes(keyId)) return false;
  return nowSeconds() >= signing.edge!.addedAtSeconds + propagationSeconds;
}
