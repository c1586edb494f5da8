import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const secretBytes = 32;
const content = z.object({ masterSecret: z.base64url() });

/**
 * Reads the secret from which all credentials of a data folder are derived, or creates it, readable by its owner only.
 * A file with another content is replaced.
 */
export async function readMasterSecret(folder: string): Promise<Buffer> {
  const file = join(folder, 'credentials.json');
  const secret = parseSecret(await readFile(file, 'utf8').catch(emptyWhenMissing));
  if (secret) return secret;
  const masterSecret = randomBytes(secretBytes);
  const text = JSON.stringify({ masterSecret: masterSecret.toString('base64url') });
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return masterSecret;
}

function emptyWhenMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function parseSecret(text: string): Buffer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = content.safeParse(parsed);
  const secret = Buffer.from(data?.masterSecret ?? '', 'base64url');
  return secret.length === secretBytes ? secret : undefined;
}
