import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCandidate } from './candidate-names.ts';

export type FoundFile = {
  /** path below the watched folder */
  name: string;
  sizeBytes: number;
  mtimeMs: number;
  /** number of the file in its file system, which a rename does not change */
  ino: number;
};

export type ScanOptions = {
  recursive: boolean;
  extensions: readonly string[];
  /** path of a folder whose files are left out */
  excluded: string | undefined;
};

/** The files of a folder that can be uploaded. Symbolic links are not followed: they may lead out of the folder. */
export async function scanFolder(root: string, options: ScanOptions): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const openFolders = [''];
  for (let folder = openFolders.pop(); folder !== undefined; folder = openFolders.pop()) {
    // The watched folder must exist; one below it may be removed at any time.
    const entries = folder === '' ? await readEntries(root) : await readEntries(join(root, folder)).catch(() => []);
    for (const entry of entries) {
      const name = join(folder, entry.name);
      if (entry.isDirectory() && options.recursive && !entry.name.startsWith('.')) {
        if (join(root, name) !== options.excluded) openFolders.push(name);
      } else if (entry.isFile() && isCandidate(entry.name, options.extensions)) {
        const stats = await lstat(join(root, name)).catch(() => undefined);
        if (!stats?.isFile() || stats.size === 0) continue;
        found.push({ name, sizeBytes: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino });
      }
    }
  }
  return found.sort((one, other) => one.mtimeMs - other.mtimeMs || (one.name < other.name ? -1 : 1));
}

const readEntries = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true });
