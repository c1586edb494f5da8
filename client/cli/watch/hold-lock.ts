import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { usageError } from '../exit-code.ts';

/**
 * Holds a lock until the process ends, also when it is killed. The lock is a listening socket: when it does not answer,
 * its process has ended.
 * @returns the function that releases the lock
 * @throws CommandError when another process holds it
 */
export async function holdLock(folder: string, subject: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(subject).digest('hex').slice(0, 16);
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\open-video-service-${name}` : join(folder, name);
  const held = async (): Promise<() => Promise<void>> => {
    const server = await listen(path);
    return () => new Promise((resolve) => server.close(() => resolve()));
  };
  try {
    return await held();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  if (await acceptsConnection(path)) throw usageError(`Another process watches this folder: it uses ${subject}.`);
  await rm(path, { force: true });
  return held();
}

const listen = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });

const acceptsConnection = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
