import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { CannotStart } from './cannot-start.ts';

/** Only programs on this machine can connect to it. */
export const loopbackAddress = '127.0.0.1';

/**
 * Listens on an address, by default that of this machine alone, and returns the port. The system chooses a free port
 * for 0.
 * @throws CannotStart when the port or address cannot be used
 */
export async function listen(server: Server, port: number, address = loopbackAddress): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, address, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') {
      throw new CannotStart(`Port ${port} is in use: stop the program that uses it, or set PORT to another number.`);
    }
    if (error.code === 'EACCES')
      throw new CannotStart(`Port ${port} may not be used: set PORT to a number above 1024.`);
    if (error.code === 'EADDRNOTAVAIL') {
      throw new CannotStart(`LISTEN ${address} is not an address of this machine: use one of its own, or 0.0.0.0.`);
    }
    throw error;
  });
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}

/** Of the address of a socket, on Linux. Longer ones are refused. */
const maxPathBytes = 107;

/**
 * Listens on a socket that every program can use which sees its folder: the folder is private, and the container of a
 * proxy, whose user is not the owner, has it mounted.
 * @throws CannotStart for a path that is too long
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new CannotStart(`With PROXY_IMAGE, the path of DATA_DIR is too long for a socket: ${path}.`);
  }
  await mkdir(dirname(path), { recursive: true });
  await chmod(dirname(path), 0o755);
  // A killed service leaves it.
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o666);
}
