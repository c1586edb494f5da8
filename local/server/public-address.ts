import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { CannotStart } from './cannot-start.ts';

/** The addresses of the service behind a reverse proxy that terminates TLS, without a slash at the end. */
export type PublicUrls = {
  /** of API and playback */
  apiUrl: string;
  storeUrl: string;
  /** of pages that may use the API with the session cookie, and send files to the store */
  allowedOrigins: string[];
};

export type PublicAddress = {
  /** Distribution and store listen on it. */
  listenAddress: string;
  publicUrls: PublicUrls | undefined;
  /** Addresses and networks of reverse proxies whose X-Forwarded-For header is used. */
  trustedProxies: string[];
  /** Addresses and networks that may connect to a listener which other machines reach. */
  clients: string[];
  /** The address of this machine in the network of separate workers. */
  workerAddress: string | undefined;
};

const loopback = ['127.0.0.0/8', '::1/128'];

/**
 * Reads the settings that make the service reachable from other machines.
 * @throws CannotStart for invalid settings, and for those that would send passwords over the network without encryption
 */
export function readPublicAddress(
  environment: NodeJS.ProcessEnv,
  { readRoutes = routesOfLinux, readAddresses = addressesOfMachine } = {},
): PublicAddress {
  const inContainer = environment.LISTEN === 'container';
  const listenAddress = inContainer ? '0.0.0.0' : environment.LISTEN || '127.0.0.1';
  if (isIP(listenAddress) !== 4) {
    throw new CannotStart(`LISTEN is an IPv4 address, such as 127.0.0.1 or 0.0.0.0, not ${listenAddress}.`);
  }
  const publicUrls = readPublicUrls(environment);
  // Docker forwards connections to a published port from the address of the machine in the network of the container.
  const machine = inContainer ? gatewaysIn(readRoutes()) : [];
  const trustedProxies =
    readTrustedProxies(environment.TRUSTED_PROXIES) ?? (publicUrls ? [...loopback, ...machine] : []);
  const workerNetwork = environment.WORKER_NETWORK || undefined;
  const clients = [...machine, ...trustedProxies, ...(workerNetwork ? [workerNetwork] : [])];
  if (!inContainer && !isLoopback(listenAddress) && !(publicUrls && environment.TRUSTED_PROXIES)) {
    throw new CannotStart(
      `LISTEN ${listenAddress} is reachable from other machines: set PUBLIC_URL to the HTTPS address of the reverse proxy ` +
        'and TRUSTED_PROXIES to the address that it connects from, or leave LISTEN out.',
    );
  }
  const workerAddress = workerNetwork && addressIn(workerNetwork, { listenAddress, addresses: readAddresses() });
  return { listenAddress, publicUrls, trustedProxies, clients, workerAddress };
}

const routesOfLinux = (): string => readFileSync('/proc/net/route', 'utf8');

const addressesOfMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));

/** Separate workers connect without TLS, so they are on this machine, in a network of its containers. */
function addressIn(network: string, machine: { listenAddress: string; addresses: string[] }): string {
  if (!ipaddr.IPv4.isValidCIDR(network)) {
    throw new CannotStart(`WORKER_NETWORK is an IPv4 network, such as 172.31.78.16/28, not ${network}.`);
  }
  if (machine.listenAddress !== '0.0.0.0') {
    throw new CannotStart(
      'WORKER_NETWORK is the network of workers in other containers: set LISTEN=container as well.',
    );
  }
  const range = ipaddr.IPv4.parseCIDR(network);
  const address = machine.addresses.find((one) => isIP(one) === 4 && ipaddr.IPv4.parse(one).match(range));
  if (address !== undefined) return address;
  throw new CannotStart(`WORKER_NETWORK ${network} has no address of this machine or container: connect it.`);
}

/** The gateways of default routes. /proc/net/route has addresses as little-endian hexadecimal numbers. */
const gatewaysIn = (routes: string): string[] =>
  routes.split('\n').flatMap((line) => {
    const [, destination, gateway = ''] = line.split('\t');
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/.test(gateway) || gateway === '00000000') return [];
    return Buffer.from(gateway, 'hex').reverse().join('.');
  });

export const isLoopback = (address: string): boolean => ipaddr.process(address).range() === 'loopback';

function readPublicUrls(environment: NodeJS.ProcessEnv): PublicUrls | undefined {
  const { PUBLIC_URL, PUBLIC_STORE_URL, ALLOWED_ORIGINS } = environment;
  if (!PUBLIC_URL) {
    const [unused] = Object.entries({ PUBLIC_STORE_URL, ALLOWED_ORIGINS }).find(([, value]) => value) ?? [];
    if (unused) throw new CannotStart(`${unused} has no effect without PUBLIC_URL: set both, or neither.`);
    return undefined;
  }
  const api = httpsOrigin('PUBLIC_URL', PUBLIC_URL);
  if (!PUBLIC_STORE_URL && isIP(api.hostname.replace(/^\[|\]$/g, ''))) {
    throw new CannotStart('PUBLIC_URL has an IP address: set PUBLIC_STORE_URL as well.');
  }
  const store = httpsOrigin('PUBLIC_STORE_URL', PUBLIC_STORE_URL || `https://store.${api.host}`);
  if (api.origin === store.origin) {
    throw new CannotStart('PUBLIC_URL and PUBLIC_STORE_URL must be different addresses.');
  }
  const others = (ALLOWED_ORIGINS ?? '').split(',').flatMap((part) => part.trim() || []);
  const allowedOrigins = [api.origin, ...others.map((origin) => httpsOrigin('ALLOWED_ORIGINS', origin).origin)];
  return { apiUrl: api.origin, storeUrl: store.origin, allowedOrigins };
}

/**
 * A URL with scheme, host and port only. API paths start at the root, and signatures of the store cover the path.
 */
function httpsOrigin(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url;
  throw new CannotStart(`${name} is an HTTPS address without a path, such as https://video.example.com, not ${text}.`);
}

function readTrustedProxies(text: string | undefined): string[] | undefined {
  if (!text) return undefined;
  const networks = text.split(',').map((part) => part.trim());
  const wrong = networks.find((network) => !ipaddr.isValid(network) && !ipaddr.isValidCIDR(network));
  if (wrong === undefined && networks.every((network) => network.includes('/') || isIP(network))) return networks;
  throw new CannotStart(
    `TRUSTED_PROXIES is a list of IP addresses and networks, such as 10.0.0.5,192.168.0.0/24, not ${text}.`,
  );
}
