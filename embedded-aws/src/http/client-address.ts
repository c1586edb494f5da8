import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Determines the address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string;

/** Compiles a list of addresses and networks to a test. */
export function createAddressList(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) =>
    ipaddr.parseCIDR(network.includes('/') ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`),
  );
  return (address) => {
    if (!isIP(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  };
}

/**
 * Finds the address of a client behind reverse proxies. Each proxy appends the address of its peer to X-Forwarded-For;
 * everything to the left may be forged by the client. The addresses are therefore read from the right, starting with
 * the peer of the connection. The first one that is not a trusted proxy is the client.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = createAddressList(trustedProxies);
  return ({ socket, headers }) => {
    let client = normal(socket.remoteAddress ?? '');
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (isTrusted(client)) {
      const next = forwarded.pop()?.trim();
      // Without a valid address the last known proxy counts as the client.
      if (next === undefined || !isIP(next)) break;
      client = normal(next);
    }
    return client;
  };
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
const normal = (address: string): string => (isIP(address) ? ipaddr.process(address).toString() : address);
