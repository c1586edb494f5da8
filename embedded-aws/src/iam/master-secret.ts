import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../durable/whole-file.ts';

const secretBytes = 32;
const secret = z.base64url().transform((text) => Buffer.from(text, 'base64url'));
const content = z.object({ masterSecret: secret.refine(({ length }) => length === secretBytes) });

/**
 * Reads the secret from which all credentials of a data folder are derived, or creates it, readable by its owner only.
 * @throws DamagedData when the file has another content
 */
export async function readMasterSecret(folder: string): Promise<Buffer> {
  const file = join(folder, 'credentials.json');
  const known = await readJson(file, content.parse);
  if (known) return known.masterSecret;
  const masterSecret = randomBytes(secretBytes);
  await writeWhole(file, JSON.stringify({ masterSecret: masterSecret.toString('base64url') }));
  return masterSecret;
}
