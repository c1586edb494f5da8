import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CannotStart } from './cannot-start.ts';

/**
 * Listens on this machine only and answers the port, which the system chooses for 0.
 * @throws CannotStart when the port is taken
 */
export async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') {
      throw new CannotStart(`Port ${port} is in use: stop the program that uses it, or set PORT to another number.`);
    }
    if (error.code === 'EACCES')
      throw new CannotStart(`Port ${port} may not be used: set PORT to a number above 1024.`);
    throw error;
  });
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}
