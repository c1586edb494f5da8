import { sampleKey } from '../../../shared/object-keys.ts';
import { writeObject } from '../../aws/object-store.ts';
import { newUlid } from '../../common/ids.ts';
import { createUrlSigner } from '../../delivery/url-signer.ts';

/** Longer than the step `verify` takes. */
const lifetimeSeconds = 600;

/** Its key, and its signed path. */
export type Sample = { key: string; path: string };

/**
 * Writes a file that a proxy must be able to deliver. Its name is new: the proxy would deliver an earlier file from its
 * cache, also without a way to the store.
 */
export async function writeSample(text: string): Promise<Sample> {
  const key = sampleKey(newUlid());
  // First, so that nothing is written without a key for its URL.
  const { sign } = await createUrlSigner({ playback: 'signed' }, '', lifetimeSeconds);
  await writeObject(key, text, 'text/plain');
  return { key, path: sign(key) };
}
