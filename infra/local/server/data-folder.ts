import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotStart } from './cannot-start.ts';

/**
 * Makes the folder that holds all state of one embedded cloud.
 * @throws CannotStart when it cannot be made or written
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, ownerOnly);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(
      `The data folder ${folder} cannot be written (${code}): set DATA_DIR to a folder that you may write.`,
    );
  }
}

/** Keys, password hashes and videos are in it. */
const ownerOnly = 0o700;

/** A recursive mkdir of Node never ends where a folder refuses new ones with ENOENT, as those of /proc do. */
async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode });
  }
}
