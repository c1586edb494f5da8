import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkHealth } from '../../../functions/nodes/check-health.ts';
import { buildNode } from '../../fixtures/records/store-node.ts';

let folder: string;
let server: Server;
let reported = '17';
let switchesProtocol = false;
const authorities = getCACertificates();

/** A proxy with a certificate for 20 days, from an authority that is trusted during the test. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-health-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '20'],
    ...['-subj', '/CN=proxy.test', '-addext', 'subjectAltName=DNS:proxy.test', '-keyout', key, '-out', cert],
  ]);
  const options = { key: await readFile(key), cert: await readFile(cert, 'utf8') };
  setDefaultCACertificates([...authorities, options.cert]);
  server = createServer(options, (request, response) => {
    if (switchesProtocol) response.socket?.write('HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    else response.writeHead(request.url === '/healthz' ? 200 : 404, { 'x-connections': reported }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const proxyNamed = (name: string) =>
  buildNode({
    type: 'proxy',
    ipAddress: '127.0.0.1',
    hostname: `${name}:${(server.address() as AddressInfo).port}`,
    scheme: 'https',
  });

test('the health of a proxy includes the remaining validity of its certificate', async () => {
  const { responds: answers, certificateDays } = await checkHealth(proxyNamed('proxy.test'));
  expect(answers).toBe(true);
  expect(certificateDays).toBeGreaterThan(19);
  expect(certificateDays).toBeLessThanOrEqual(20);
});

test('a renamed proxy is checked at its deployed host name', async () => {
  const { hostname: deployedHostname, ...node } = proxyNamed('proxy.test');
  const renamed = { ...node, hostname: 'other.test', deployedHostname };
  expect(await checkHealth(renamed)).toMatchObject({ responds: true });
});

test('a proxy with a certificate for another host name is unhealthy', async () => {
  expect(await checkHealth(proxyNamed('other.test'))).toEqual({ responds: false });
});

test('a proxy whose answer switches the protocol does not answer', async () => {
  switchesProtocol = true;
  expect(await checkHealth(proxyNamed('proxy.test'))).toEqual({ responds: false });
  switchesProtocol = false;
});

test.each([
  ['17', 17],
  ['-1', undefined],
  ['99999999999', undefined],
  ['1e3', undefined],
])('the reported connections %s are %s', async (header, connections) => {
  reported = header;
  expect((await checkHealth(proxyNamed('proxy.test'))).connections).toBe(connections);
});
