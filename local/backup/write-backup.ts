import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, link, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { filesOfObjects, writeItems } from 'embedded-aws';
import { type Cut, type CutFile, finishedFolder } from '../snapshot/cut.ts';
import { copyDurably, syncFolders } from './durable-files.ts';
import { type BackupFile, sha256Of, writeManifest } from './manifest.ts';
import { type OpenSnapshot, openSnapshot } from './open-snapshot.ts';

export type BackupResult = { files: number; sizeBytes: number; pauseMs: number };

/**
 * Writes a backup of a data folder into an empty folder.
 * @throws CannotStart when there is nothing to back up; SnapshotEnded when the service stops during the backup
 */
export async function writeBackup(dataFolder: string, folder: string): Promise<BackupResult> {
  const snapshot = await openSnapshot(dataFolder);
  try {
    return await copySnapshot(snapshot, dataFolder, folder);
  } finally {
    await snapshot.close();
  }
}

/** Writes what an open snapshot shows. The manifest is last. */
export async function copySnapshot(snapshot: OpenSnapshot, dataFolder: string, folder: string): Promise<BackupResult> {
  const { cut, entries, pauseMs } = snapshot;
  const database = await writeItems(folder, entries);
  for (const file of cut.files) await copyBeginning(cut.folder, folder, file);
  // The objects are those of the copied journal.
  const immutable = [...(await filesOfObjects(folder)), ...(await finishedPaths(dataFolder, cut))];
  for (const path of immutable) await linkOrCopy(join(dataFolder, path), join(folder, path));
  // Until here the service has kept its files.
  snapshot.requireOpen();
  const paths = [...database, ...cut.files.map(({ path }) => path), ...immutable];
  const files: BackupFile[] = [];
  for (const path of paths) files.push(await describeFile(folder, path));
  await syncFolders(folder, paths);
  await writeManifest(folder, files);
  return { files: files.length, sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), pauseMs };
}

async function copyBeginning(from: string, to: string, { path, sizeBytes }: CutFile): Promise<void> {
  await mkdir(dirname(join(to, path)), { recursive: true });
  const bytes = sizeBytes === 0 ? Readable.from([]) : createReadStream(join(from, path), { end: sizeBytes - 1 });
  await pipeline(bytes, createWriteStream(join(to, path), { flags: 'wx', flush: true }));
}

async function finishedPaths(dataFolder: string, { finishedExecutions }: Cut): Promise<string[]> {
  const paths: string[] = [];
  for (const id of finishedExecutions) {
    const path = `${finishedFolder}/${id}`;
    for (const name of await readdir(join(dataFolder, path))) paths.push(`${path}/${name}`);
  }
  return paths;
}

/** The file has two names where the file system can do that: a backup on the same one needs hardly any space. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    await copyDurably(from, to);
  }
  await chmod(to, 0o600);
}

async function describeFile(folder: string, path: string): Promise<BackupFile> {
  const file = join(folder, path);
  return { path, sizeBytes: (await stat(file)).size, sha256: await sha256Of(file) };
}
