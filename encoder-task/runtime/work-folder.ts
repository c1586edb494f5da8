import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * A folder for one lease under `root`, named by the worker and its process, so that leftovers are known by name. Must be dropped by
 * the caller.
 */
export async function makeLeaseFolder(root: string, workerName: string): Promise<string> {
  await mkdir(root, { recursive: true });
  return mkdtemp(join(root, `${prefixOf(workerName)}${process.pid}-`));
}

export const dropFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });

/** Removes folders that a killed worker left: those of this worker's name whose process is gone, and any that are over a day old. */
export async function dropLeftovers(root: string, workerName: string): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  const dropped: string[] = [];
  for (const name of names) {
    const pid = /^encoder-task-.+-(\d+)-[A-Za-z0-9]{6}$/.exec(name)?.[1];
    if (!pid) continue;
    const isOurs = name.startsWith(prefixOf(workerName)) && !isOtherLiveProcess(Number(pid));
    if (!isOurs && !(await isOld(join(root, name)))) continue;
    await dropFolder(join(root, name));
    dropped.push(name);
  }
  return dropped;
}

const prefixOf = (workerName: string): string => `encoder-task-${workerName}-`;

function isOtherLiveProcess(pid: number): boolean {
  // in a container every start has the same process id
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
