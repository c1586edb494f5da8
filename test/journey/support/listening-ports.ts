import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { processesOf } from './processes.ts';

/** The state LISTEN in `/proc/net/tcp`. */
const listening = '0A';

/** Every TCP port on which the service of a data folder listens. Reads `/proc`: Linux only. */
export async function listeningPorts(dataFolder: string): Promise<number[]> {
  const sockets = new Set((await Promise.all((await processesOf(dataFolder)).map(({ pid }) => socketsOf(pid)))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(join('/proc/net', name), 'utf8')));
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1)).map((row) => row.trim().split(/\s+/));
  return rows
    .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode!))
    .map(([, address]) => Number.parseInt(address!.split(':')[1]!, 16))
    .toSorted((a, b) => a - b);
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = join('/proc', String(pid), 'fd');
  // Processes may end during the scan.
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}
