import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CannotStart } from './cannot-start.ts';

export type Credentials = { accessKeyId: string; secretAccessKey: string };

/**
 * Makes the folder that holds all state of one embedded cloud.
 * @throws CannotStart when it cannot be made or written
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(
      `The data folder ${folder} cannot be written (${code}): set DATA_DIR to a folder that you may write.`,
    );
  }
}

/** A recursive mkdir of Node never ends where a folder refuses new ones with ENOENT, as those of /proc do. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** The key pair that this folder's services sign and check with; made once, readable by its owner only. */
export async function readCredentials(folder: string): Promise<Credentials> {
  const file = join(folder, 'credentials.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text);
  const credentials = {
    accessKeyId: `LOCAL${randomBytes(10).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  await writeFile(`${file}.new`, JSON.stringify(credentials), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return credentials;
}
