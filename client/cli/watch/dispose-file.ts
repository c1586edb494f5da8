import { lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { WatchEntry } from './watch-state.ts';

/** What happens to a file when its video is completed. */
export type Disposal = { kind: 'move'; folder: string } | { kind: 'delete' } | { kind: 'keep' };

const maxNames = 1000;

/**
 * Moves or deletes a file of which a video was made, unless another one has taken its place.
 * @returns what was done, for a message
 */
export async function disposeFile(path: string, entry: WatchEntry, disposal: Disposal): Promise<string | undefined> {
  if (disposal.kind === 'keep') return undefined;
  if (!(await isUploadedVersion(path, entry))) return 'it was changed or removed since, and is left alone';
  if (disposal.kind === 'delete') {
    await rm(path);
    return 'deleted';
  }
  const target = await reserveName(disposal.folder, basename(path));
  try {
    await rename(path, target);
  } catch (error) {
    await rm(target);
    throw error;
  }
  return `moved to ${target}`;
}

async function isUploadedVersion(path: string, { sizeBytes, mtimeMs, ino }: WatchEntry): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  // A folder on the path may have been exchanged for a link.
  const isSameFolder = (await realpath(dirname(path)).catch(() => undefined)) === dirname(path);
  return (
    isSameFolder &&
    stats?.isFile() === true &&
    stats.size === sizeBytes &&
    stats.mtimeMs === mtimeMs &&
    stats.ino === ino
  );
}

/** Creates an empty file under a name that is free. A rename to it replaces no other file. */
async function reserveName(folder: string, name: string): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let number = 1; number <= maxNames; number++) {
    const path = join(folder, number === 1 ? name : `${stem} (${number})${extension}`);
    try {
      await (await open(path, 'wx', 0o600)).close();
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${folder} has ${maxNames} files with the name ${name}`);
}
