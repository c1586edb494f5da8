import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Process = { pid: number; command: string };

/**
 * Running processes with this folder, or a path below it, in their arguments or environment. Reads `/proc`: Linux only.
 */
export async function processesOf(folder: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => look(pid, folder)));
  return found.filter((process) => process !== undefined);
}

async function look(pid: number, folder: string): Promise<Process | undefined> {
  if (pid === process.pid) return undefined;
  const read = async (name: string): Promise<string> => {
    // Processes may end during the scan, and those of other users cannot be read.
    const text = await readFile(join('/proc', String(pid), name), 'utf8').catch(() => '');
    return text.replaceAll('\0', ' ');
  };
  const [command, environment] = await Promise.all([read('cmdline'), read('environ')]);
  return `${command}${environment}`.includes(folder) ? { pid, command } : undefined;
}
