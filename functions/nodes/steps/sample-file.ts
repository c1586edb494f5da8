import { sampleKey } from '../../../shared/object-keys.ts';
import { deleteObject, writeObject } from '../../aws/object-store.ts';
import { createUrlSigner } from '../../delivery/url-signer.ts';

/** Longer than the step `verify` takes. */
const lifetimeSeconds = 600;

/**
 * Writes a file that a proxy must be able to deliver, with the ULID of the node as its content.
 * @returns its signed path
 */
export async function writeSample(nodeUlid: string): Promise<string> {
  const key = sampleKey(nodeUlid);
  await writeObject(key, nodeUlid, 'text/plain');
  const { sign } = await createUrlSigner({ playback: 'signed' }, '', lifetimeSeconds);
  return sign(key);
}

export const removeSample = (nodeUlid: string): Promise<void> => deleteObject(sampleKey(nodeUlid));
