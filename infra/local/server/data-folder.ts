import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotStart } from './cannot-start.ts';

/** Creates the folder that contains all state. @throws CannotStart when it cannot be created or written */
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

/** It contains keys, password hashes and videos. */
const ownerOnly = 0o700;

/** Node's recursive mkdir never returns when a folder rejects new entries with ENOENT, as in /proc. */
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
