import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Creates a folder for one lease under `root`. Its name contains worker and process id, so that leftovers are
 * recognised. The caller removes it.
 */
export async function makeLeaseFolder(root: string, workerName: string): Promise<string> {
  await mkdir(root, { recursive: true });
  return mkdtemp(join(root, `${prefixOf(workerName)}${process.pid}-`));
}

export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });

/**
 * Removes the folders of killed workers: those with this worker's name whose process has ended, and all that are older
 * than a day.
 */
export async function removeLeftovers(root: string, workerName: string): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  const removed: string[] = [];
  for (const name of names) {
    const pid = /^encoder-task-.+-(\d+)-[A-Za-z0-9]{6}$/.exec(name)?.[1];
    if (!pid) continue;
    const isOurs = name.startsWith(prefixOf(workerName)) && !isOtherLiveProcess(Number(pid));
    if (!isOurs && !(await isOld(join(root, name)))) continue;
    await removeFolder(join(root, name));
    removed.push(name);
  }
  return removed;
}

/** Removes the lease folders of all workers. Only for a folder that no other process uses. */
export async function removeAllLeaseFolders(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) await removeFolder(join(root, name));
}

const prefix = 'encoder-task-';

const prefixOf = (workerName: string): string => `${prefix}${workerName}-`;

function isOtherLiveProcess(pid: number): boolean {
  // in a container, the process id is the same after every start
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const isOld = async (folder: string): Promise<boolean> => {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > dayMs;
};
