import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listenOnSocket } from '../../../local/server/listen.ts';

test('a socket that a killed service left is replaced, and the user of a container can connect to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'socket-'));
  const path = join(folder, 'sockets', 'store');
  const server = createServer((_, response) => response.end('ok'));
  await mkdir(join(folder, 'sockets'));
  await writeFile(path, '');
  await listenOnSocket(server, path);
  expect((await stat(path)).mode & 0o777).toBe(0o666);
  expect((await stat(join(folder, 'sockets'))).mode & 0o777).toBe(0o755);
  const status = await new Promise((resolve) => {
    request({ socketPath: path }, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(status).toBe(200);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

test('a path that is too long for a socket is refused with the setting to change', async () => {
  const path = `/${'d'.repeat(120)}/store`;
  await expect(listenOnSocket(createServer(), path)).rejects.toThrow(/the path of DATA_DIR is too long/);
});
