import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Copies a file so that the copy survives a power cut. File systems that can share the blocks of both files do so. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await syncPath(to);
}

/** Makes the names in a folder survive a power cut. */
export const syncFolder = (folder: string): Promise<void> => syncPath(folder);

/** The same for all folders that `paths` below `folder` are in. */
export async function syncFolders(folder: string, paths: readonly string[]): Promise<void> {
  const folders = new Set(paths.flatMap(parentsOf));
  for (const inner of folders) await syncPath(join(folder, inner));
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [parent] : [parent, ...parentsOf(parent)];
}

async function syncPath(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
