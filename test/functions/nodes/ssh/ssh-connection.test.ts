import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listContainers } from '../../../../functions/nodes/list-containers.ts';
import type { NodeTarget } from '../../../../functions/nodes/ssh/node-target.ts';
import { runStep } from '../../../../functions/nodes/steps/run-step.ts';
import { createKey, type SshServer, startSshServer } from '../../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
beforeAll(async () => {
  server = await startSshServer({ images: [] });
});
afterAll(() => server.stop());

/** A step that needs only a connection. */
const run = (other: Partial<NodeTarget> = {}) =>
  runStep({ ...server.target, ...other }, 'drain', { values: {}, timeouts: { readySeconds: 2, keepAliveSeconds: 10 } });

const failsWith = (code: string) => ({ ok: false, log: '', error: { code, message: expect.any(String) } });

/** A TCP server with this connection handler. */
async function tcpServer(
  welcome: (socket: import('node:net').Socket) => void,
): Promise<{ tcp: TcpServer; port: number }> {
  const tcp = createServer((socket) => welcome(socket.on('error', () => {})));
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  return { tcp, port: (tcp.address() as AddressInfo).port };
}

test('a closed port', async () => {
  const { tcp, port } = await tcpServer(() => {});
  await new Promise((resolve) => tcp.close(resolve));
  expect(await run({ port })).toEqual(failsWith('SSH_UNREACHABLE'));
});

test('a peer that accepts the connection and sends nothing', async () => {
  const { tcp, port } = await tcpServer(() => {});
  expect(await run({ port })).toEqual(failsWith('SSH_TIMED_OUT'));
  tcp.close();
});

test.each([
  ['hangs up', (socket: import('node:net').Socket) => void socket.end()],
  ['speaks something else', (socket: import('node:net').Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['speaks an old SSH', (socket: import('node:net').Socket) => void socket.end('SSH-1.5-ancient\r\n')],
])('a peer that %s', async (_, welcome) => {
  const { tcp, port } = await tcpServer(welcome);
  expect(await run({ port })).toEqual(failsWith('SSH_HANDSHAKE_FAILED'));
  tcp.close();
});

test('a key that is not authorized', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'other-key-'));
  await createKey(join(folder, 'key'), 'ed25519');
  const privateKey = await readFile(join(folder, 'key'), 'utf8');
  await rm(folder, { recursive: true });
  expect(await run({ privateKey })).toEqual(failsWith('SSH_AUTHENTICATION_REFUSED'));
});

test('an unknown user', async () => {
  expect(await run({ user: 'nobody-of-that-name' })).toEqual(failsWith('SSH_AUTHENTICATION_REFUSED'));
});

test('an invalid private key, whose content is not in the message', async () => {
  const result = await run({
    privateKey: '-----BEGIN PRIVATE KEY-----\nthis-is-secret-all-the-same\n-----END PRIVATE KEY-----',
  });
  expect(result).toEqual(failsWith('SSH_KEY_UNREADABLE'));
  expect(JSON.stringify(result)).not.toContain('secret');
});

test('RSA and ECDSA keys are accepted too', async () => {
  for (const type of ['rsa', 'ecdsa'] as const) {
    const other = await startSshServer({ clientKey: type, images: [] });
    const result = await runStep(other.target, 'drain', { values: {} });
    await other.stop();
    expect(result, type).toMatchObject({ ok: true });
  }
});

test('a changed host key ends the connection before our key is offered', async () => {
  const other = await startSshServer({ images: [] });
  try {
    const pinned = other.target.hostKey;
    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      await other.changeHostKey(type);
      const earlier = (await other.log()).length;
      const result = await runStep(other.target, 'drain', { values: {} });
      expect(result, type).toEqual(failsWith('SSH_HOST_KEY_CHANGED'));
      expect(result.ok || result.error.message).toContain(pinned?.sha256);
      const log = (await other.log()).slice(earlier);
      expect(log).toContain('Connection from');
      expect(log).not.toMatch(/userauth|publickey/);
      await expect(listContainers(other.target)).rejects.toMatchObject({ code: 'SSH_HOST_KEY_CHANGED' });
      const pinning: { type: string }[] = [];
      const pinHostKey: NodeTarget['pinHostKey'] = async (shown) => {
        pinning.push(shown);
        return shown;
      };
      const anew = await runStep({ ...other.target, hostKey: null, pinHostKey }, 'drain', { values: {} });
      expect(anew).toMatchObject({ ok: true });
      expect(pinning).toEqual([expect.objectContaining({ type: expect.stringContaining(type) })]);
    }
  } finally {
    await other.stop();
  }
});

describe('a server without a pinned host key', () => {
  const pinned = { type: 'ssh-ed25519', sha256: 'SHA256:of-another-server' };

  test('is refused before authentication when a concurrent connection has pinned another key', async () => {
    const earlier = (await server.log()).length;
    const result = await run({ hostKey: null, pinHostKey: async () => pinned });
    expect(result).toEqual(failsWith('SSH_HOST_KEY_CHANGED'));
    expect(result.ok || result.error.message).toContain(pinned.sha256);
    expect((await server.log()).slice(earlier)).not.toMatch(/userauth|publickey/);
  });

  test('is refused before authentication when its key cannot be pinned', async () => {
    const earlier = (await server.log()).length;
    const failing = run({ hostKey: null, pinHostKey: () => Promise.reject(new Error('the table is away')) });
    await expect(failing).rejects.toThrow('the table is away');
    expect((await server.log()).slice(earlier)).not.toMatch(/userauth|publickey/);
  });
});

test('invalid values fail before a connection is opened', async () => {
  for (const wrong of [
    { user: '-oProxyCommand=x' },
    { user: 'root;id' },
    { user: 'a b' },
    { address: 'localhost' },
    { address: '1.2.3.4;id' },
    { port: 0 },
    { workers: 0 },
    { workers: 21 },
    { workers: 1.5 },
    { hostname: 'a.example.com;id' },
    { hostname: '$(id).example.com' },
    { type: 'proxy' as const, workers: 1, hostname: null },
    { ulid: '../../etc' },
  ])
    expect(await run(wrong), JSON.stringify(wrong)).toEqual(failsWith('VALUES_INVALID'));
});
