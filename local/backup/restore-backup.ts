import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Lock, lockFolder } from 'embedded-aws';
import { CannotStart } from '../server/cannot-start.ts';
import { copyDurably, syncFolder, syncFolders } from './durable-files.ts';
import { type BackupFile, readManifest, sha256Of } from './manifest.ts';

export type RestoreResult = { files: number; sizeBytes: number; createdAt: string };

/**
 * Makes a data folder from a backup. The files are copied into a folder beside it, which takes its place in one step.
 * What an interrupted restore left there is removed by the next one.
 * @throws CannotStart when the backup is not complete, or the data folder has data
 */
export async function restoreBackup(folder: string, dataFolder: string): Promise<RestoreResult> {
  const { files, createdAt } = await readManifest(folder);
  await requireEmpty(dataFolder);
  for (const file of files) await requireIntact(folder, file);
  await inWorkFolder(`${dataFolder}.restoring`, async (workFolder) => {
    const copy = join(workFolder, 'data');
    await rm(copy, { recursive: true, force: true });
    await copyFiles(files, folder, copy);
    await moveInto(copy, dataFolder);
  });
  return { files: files.length, sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), createdAt };
}

async function copyFiles(files: BackupFile[], folder: string, copy: string): Promise<void> {
  for (const { path } of files) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await copyDurably(join(folder, path), join(copy, path));
    await chmod(join(copy, path), 0o600);
  }
  const paths = files.map(({ path }) => path);
  await syncFolders(copy, paths);
}

/** Runs `work` in a folder that no other process works in, and removes the folder. The lock ends with the process. */
async function inWorkFolder(folder: string, work: (folder: string) => Promise<void>): Promise<void> {
  const lock = await lockOf(folder);
  try {
    await work(folder);
  } finally {
    await lock.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function lockOf(folder: string): Promise<Lock> {
  let lock: Lock | undefined;
  try {
    await mkdir(folder, { recursive: true });
    lock = await lockFolder(join(folder, 'lock'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS') {
      throw new CannotStart(`${folder} cannot be made (${code}): run the command as a user that may write there.`);
    }
    throw error;
  }
  if (!lock) throw new CannotStart('Another restore into this data folder is under way: wait for its end.');
  return lock;
}

/** When a service was started during the restore, it has made files there, and the rename fails. */
async function moveInto(copy: string, dataFolder: string): Promise<void> {
  await rename(copy, dataFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') throw notEmpty(dataFolder);
    throw error;
  });
  await syncFolder(dirname(dataFolder));
}

const notEmpty = (folder: string) =>
  new CannotStart(`The data folder ${folder} is not empty: move it away, or set DATA_DIR to another folder.`);

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw notEmpty(folder);
    throw error;
  });
  if (names.length > 0) throw notEmpty(folder);
}

async function requireIntact(folder: string, { path, sizeBytes, sha256 }: BackupFile): Promise<void> {
  const file = join(folder, path);
  const damaged = (problem: string) =>
    new CannotStart(`The backup is damaged: ${file} ${problem}. Use another backup.`);
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile()) throw damaged('is missing');
  if (found.size !== sizeBytes) throw damaged(`has ${found.size} bytes instead of ${sizeBytes}`);
  if ((await sha256Of(file)) !== sha256) throw damaged('has another checksum');
}
