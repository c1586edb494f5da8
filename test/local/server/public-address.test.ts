import { createServer, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { listen } from '../../../local/server/listen.ts';
import { readPublicAddress } from '../../../local/server/public-address.ts';
import { acceptOnlyClients } from '../../../local/server/public-server.ts';

const PUBLIC_URL = 'https://video.example.com';
const loopback = ['127.0.0.0/8', '::1/128'];

test('without settings the service is reached from this machine only and trusts no header', () => {
  expect(readPublicAddress({})).toEqual({
    listenAddress: '127.0.0.1',
    publicUrls: undefined,
    trustedProxies: [],
    clients: [],
    workerAddress: undefined,
  });
});

test('the store has a name below that of the API, with its port', () => {
  expect(readPublicAddress({ PUBLIC_URL: 'https://Video.example.com:8443/' })).toEqual({
    listenAddress: '127.0.0.1',
    publicUrls: {
      apiUrl: 'https://video.example.com:8443',
      storeUrl: 'https://store.video.example.com:8443',
      allowedOrigins: ['https://video.example.com:8443'],
    },
    trustedProxies: loopback,
    clients: loopback,
    workerAddress: undefined,
  });
});

test('each address can be set, and the reverse proxy may be another machine', () => {
  const environment = {
    PUBLIC_URL,
    PUBLIC_STORE_URL: 'https://upload.example.com',
    ALLOWED_ORIGINS: 'https://app.example.com',
    LISTEN: '0.0.0.0',
    TRUSTED_PROXIES: '10.0.0.5, 2001:db8::/32',
  };
  expect(readPublicAddress(environment)).toEqual({
    listenAddress: '0.0.0.0',
    publicUrls: {
      apiUrl: PUBLIC_URL,
      storeUrl: 'https://upload.example.com',
      allowedOrigins: [PUBLIC_URL, 'https://app.example.com'],
    },
    trustedProxies: ['10.0.0.5', '2001:db8::/32'],
    clients: ['10.0.0.5', '2001:db8::/32'],
    workerAddress: undefined,
  });
});

/** Of a container with the address 172.18.0.2 in one network. */
const routes = () => `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
eth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
`;

test.each([
  ['its machine only', {}, { trustedProxies: [], clients: ['172.18.0.1'] }],
  [
    'a reverse proxy on its machine',
    { PUBLIC_URL },
    { trustedProxies: [...loopback, '172.18.0.1'], clients: ['172.18.0.1', ...loopback, '172.18.0.1'] },
  ],
  [
    'its machine and a reverse proxy in its network',
    { PUBLIC_URL, TRUSTED_PROXIES: '172.18.0.0/16' },
    { trustedProxies: ['172.18.0.0/16'], clients: ['172.18.0.1', '172.18.0.0/16'] },
  ],
])('a container is reached from %s: %j', (_, environment, expected) => {
  const address = readPublicAddress({ ...environment, LISTEN: 'container' }, { readRoutes: routes });
  expect(address).toMatchObject({ listenAddress: '0.0.0.0', ...expected });
});

test('a container without a route to other networks is reached from itself only', () => {
  const [header = ''] = routes().split('\n');
  expect(readPublicAddress({ LISTEN: 'container' }, { readRoutes: () => header })).toMatchObject({ clients: [] });
});

test('workers in a network of the container connect, but their headers are not trusted', () => {
  const environment = { LISTEN: 'container', WORKER_NETWORK: '172.19.0.0/28' };
  const readAddresses = () => ['127.0.0.1', '::1', '172.18.0.2', '172.19.0.3'];
  expect(readPublicAddress(environment, { readRoutes: routes, readAddresses })).toMatchObject({
    trustedProxies: [],
    clients: ['172.18.0.1', '172.19.0.0/28'],
    workerAddress: '172.19.0.3',
  });
  expect(() =>
    readPublicAddress(environment, { readRoutes: routes, readAddresses: () => ['::1', '172.18.0.2'] }),
  ).toThrow(/^WORKER_NETWORK 172\.19\.0\.0\/28 has no address of this machine or container: connect it\.$/);
});

test.each([
  [{ WORKER_NETWORK: '172.19.0.0/28' }, /^WORKER_NETWORK is the network .+ set LISTEN=container as well\.$/],
  [{ LISTEN: 'container', WORKER_NETWORK: '172.19.0.3' }, /^WORKER_NETWORK is an IPv4 network, such as /],
  [
    { LISTEN: '0.0.0.0' },
    /^LISTEN 0\.0\.0\.0 is reachable from other machines: set PUBLIC_URL .+ and TRUSTED_PROXIES /,
  ],
  [{ LISTEN: '0.0.0.0', PUBLIC_URL }, /^LISTEN 0\.0\.0\.0 is reachable from other machines/],
  [{ LISTEN: 'eth0' }, /^LISTEN is an IPv4 address, such as 127\.0\.0\.1 or 0\.0\.0\.0, not eth0\.$/],
  [{ PUBLIC_URL: 'http://video.example.com' }, /^PUBLIC_URL is an HTTPS address without a path/],
  [{ PUBLIC_URL: 'https://video.example.com/api' }, /^PUBLIC_URL is an HTTPS address without a path/],
  [{ PUBLIC_URL: 'https://user@video.example.com' }, /^PUBLIC_URL is an HTTPS address without a path/],
  [{ PUBLIC_URL: 'video.example.com' }, /^PUBLIC_URL is an HTTPS address without a path/],
  [{ PUBLIC_URL: 'https://192.0.2.1' }, /^PUBLIC_URL has an IP address: set PUBLIC_STORE_URL/],
  [{ PUBLIC_URL, PUBLIC_STORE_URL: PUBLIC_URL }, /must be different addresses\.$/],
  [{ PUBLIC_STORE_URL: PUBLIC_URL }, /^PUBLIC_STORE_URL has no effect without PUBLIC_URL/],
  [{ PUBLIC_URL, TRUSTED_PROXIES: 'nginx' }, /^TRUSTED_PROXIES is a list of IP addresses and networks/],
  [{ PUBLIC_URL, TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES is a list of IP addresses and networks/],
])('%j is refused', (environment, message) => {
  expect(() => readPublicAddress(environment)).toThrow(message);
});

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test.each([
  ['another machine', [], false],
  ['a client', [own ?? '127.0.0.1'], true],
])('a listener on all addresses answers %s: %j', async (_, clients, answers) => {
  const server = createServer((_request, response) => response.end());
  acceptOnlyClients(server, { listenAddress: '0.0.0.0', clients });
  const port = await listen(server, 0, '0.0.0.0');
  // From an address of the machine to loopback, so that the peer is not the address that is listened on.
  const answered = new Promise<boolean>((resolve) => {
    request({ host: '127.0.0.1', port, ...(own && { localAddress: own }) }, (response) =>
      resolve(response.resume() !== null),
    )
      .on('error', () => resolve(false))
      .end();
  });
  expect(await answered).toBe(own === undefined ? true : answers);
  server.close();
});
