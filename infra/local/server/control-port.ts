import { readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { listen } from './listen.ts';

const fileIn = (dataFolder: string): string => join(dataFolder, 'control-port');

/**
 * Listens on the port of earlier starts, so that servers which were registered then still find the parameter store. If
 * the port is taken, the system chooses another one.
 */
export async function listenAsBefore(server: Server, dataFolder: string): Promise<number> {
  const before = Number(await readFile(fileIn(dataFolder), 'utf8').catch(() => ''));
  const isPort = Number.isInteger(before) && before <= 65_535;
  return listen(server, isPort ? before : 0).catch((error: unknown) => {
    if (error instanceof CannotStart) return listen(server, 0);
    throw error;
  });
}

export const keepControlPort = (dataFolder: string, port: number): Promise<void> =>
  writeFile(fileIn(dataFolder), String(port), { mode: 0o600 });
