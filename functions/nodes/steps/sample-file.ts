import { sampleKey } from '../../../shared/object-keys.ts';
import { writeObject } from '../../aws/object-store.ts';
import { newUlid } from '../../common/ids.ts';
import { createUrlSigner } from '../../delivery/url-signer.ts';

/** Longer than the step `verify` takes. */
const lifetimeSeconds = 600;

/**
 * Writes a file that a proxy must be able to deliver, with the ULID of the node as its content. Its name is new: the
 * proxy would deliver an earlier file from its cache, also without a way to the store.
 * @returns its key, and its signed path
 */
export async function writeSample(nodeUlid: string): Promise<{ key: string; path: string }> {
  const key = sampleKey(newUlid());
  await writeObject(key, nodeUlid, 'text/plain');
  const { sign } = await createUrlSigner({ playback: 'signed' }, '', lifetimeSeconds);
  return { key, path: sign(key) };
}
