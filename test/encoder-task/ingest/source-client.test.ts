import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSourceClient } from '../../../encoder-task/ingest/source-client.ts';
import { type SourceServer, startSource } from '../../fixtures/servers/source-server.ts';

let canary: SourceServer;
beforeEach(async () => {
  canary = await startSource((_, response) => void response.end('secret'));
});
afterEach(() => canary.close());

const get = (url: string, addresses: string[][] = []) => {
  const client = createSourceClient({
    allowLoopback: false,
    connections: 1,
    resolve: (_, __, callback) =>
      callback(
        null,
        (addresses.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  });
  return client.get(new URL(url), {}, AbortSignal.timeout(5000)).finally(client.close);
};

test.each([
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f.1:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://0.0.0.0:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
])('no connection is made to %s', async (url) => {
  await expect(get(url.replace('PORT', String(canary.port)))).rejects.toMatchObject({
    code: 'INPUT_ADDRESS',
    fatal: true,
  });
  expect(canary.requests).toEqual([]);
});

test.each([
  ['of this machine', ['127.0.0.1']],
  ['of which one is of this machine', ['93.184.216.34', '127.0.0.1']],
  ['of a private network', ['192.168.0.10']],
  ['with an embedded address', ['::ffff:7f00:1']],
])('no connection is made to a name with addresses %s', async (_, addresses) => {
  await expect(get(`http://files.example.com:${canary.port}/`, [addresses])).rejects.toMatchObject({
    code: 'INPUT_ADDRESS',
  });
  expect(canary.requests).toEqual([]);
});

test('a name is checked again for each connection, since its address may be another one', async () => {
  const client = createSourceClient({
    allowLoopback: true,
    connections: 1,
    resolve: (_, __, callback) => callback(null, [{ address: lookups++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]),
  });
  let lookups = 0;
  const url = new URL(`http://rebind.example.com:${canary.port}/`);
  const { response } = await client.get(url, {}, AbortSignal.timeout(5000));
  response.destroy();
  await expect(client.get(url, {}, AbortSignal.timeout(5000))).rejects.toMatchObject({ code: 'INPUT_ADDRESS' });
  client.close();
  expect(canary.requests).toHaveLength(1);
});

test('a redirect to an address that is not allowed is not followed', async () => {
  const server = await startSource(
    (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  );
  const client = createSourceClient({ allowLoopback: true, connections: 1 });
  await expect(client.get(new URL(server.url()), {}, AbortSignal.timeout(5000))).rejects.toMatchObject({
    code: 'INPUT_ADDRESS',
  });
  client.close();
  await server.close();
});

test.each(['file:///etc/passwd', 'ftp://example.com/', 'gopher://example.com/'])(
  '%s is refused, also as a redirect',
  async (location) => {
    await expect(get(location)).rejects.toMatchObject({ code: 'INPUT_ADDRESS' });
    const server = await startSource((_, response) => void response.writeHead(302, { location }).end());
    const client = createSourceClient({ allowLoopback: true, connections: 1 });
    await expect(client.get(new URL(server.url()), {}, AbortSignal.timeout(5000))).rejects.toMatchObject({
      code: 'INPUT_ADDRESS',
    });
    client.close();
    await server.close();
  },
);

test('a redirect with very large headers fails at once, and is not requested again', async () => {
  const location = `http://127.0.0.1/${'x'.repeat(20_000)}`;
  const server = await startSource((_, response) => void response.writeHead(302, { location }).end());
  const client = createSourceClient({ allowLoopback: true, connections: 1 });
  await expect(client.get(new URL(server.url()), {}, AbortSignal.timeout(5000))).rejects.toMatchObject({
    code: 'INPUT_UNREACHABLE',
    fatal: true,
    message: expect.stringContaining('headers of its response are larger than 16 KiB'),
  });
  client.close();
  await server.close();
});
