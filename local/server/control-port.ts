import type { Server } from 'node:http';
import { join } from 'node:path';
import { readWhole, writeWhole } from 'embedded-aws';
import { CannotStart } from './cannot-start.ts';
import { listen } from './listen.ts';

const readPort = (dataFolder: string): Promise<number | undefined> =>
  readWhole(fileIn(dataFolder), (content) => Number(content.toString()));

const fileIn = (dataFolder: string): string => join(dataFolder, 'control-port');

/**
 * Listens on the port of earlier starts, so that servers which were registered then still find the parameter store. If
 * the port is taken, another one is chosen.
 */
export async function listenAsBefore(server: Server, dataFolder: string): Promise<number> {
  const before = await readPort(dataFolder);
  const isPort = before !== undefined && before > 0 && before <= 65_535;
  for (const port of isPort ? [before, ...newPorts()] : newPorts()) {
    try {
      return await listen(server, port);
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error;
    }
  }
  return listen(server, 0);
}

/** Outside the range from which systems choose ports for connections, so that a port stays free between two starts. */
const newPorts = (): number[] => Array.from({ length: 10 }, () => 10_100 + Math.floor(Math.random() * 20_000));

export async function keepControlPort(dataFolder: string, port: number): Promise<void> {
  if ((await readPort(dataFolder)) !== port) await writeWhole(fileIn(dataFolder), String(port));
}
