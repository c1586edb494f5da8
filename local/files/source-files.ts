import { access, constants, stat } from 'node:fs/promises';
import { CannotStart } from '../server/cannot-start.ts';

/** `name` is the path as the user wrote it. */
export type SourceFile = { path: string; name: string; sizeBytes: number };

/**
 * Checks the files to encode before the service starts.
 * @throws CannotStart for the first file that cannot be read or is empty
 */
export async function checkSourceFiles(paths: string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of paths) files.push(await checkSourceFile(path));
  return files;
}

async function checkSourceFile(path: string): Promise<SourceFile> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw noRights(path);
    throw new CannotStart(`There is no file ${path}: check the name.`);
  });
  if (found.isDirectory()) throw new CannotStart(`${path} is a folder: name the files in it.`);
  if (!found.isFile()) throw new CannotStart(`${path} is not a file: name a video file.`);
  if (found.size === 0) throw new CannotStart(`${path} is empty: there is nothing to encode in it.`);
  await access(path, constants.R_OK).catch(() => {
    throw noRights(path);
  });
  return { path, name: path, sizeBytes: found.size };
}

const noRights = (path: string) => new CannotStart(`${path} cannot be read: change its permissions.`);
