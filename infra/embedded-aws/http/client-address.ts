import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string;

/** Whether an address is one of these addresses and networks. */
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
 * Finds the address of a client behind reverse proxies. Each proxy adds the address of its peer at the right end of X-Forwarded-For, and the client may
 * write anything to the left of that. So the addresses are read from the right, from the peer of the connection on, and the first that is not a
 * trusted proxy is the client.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = createAddressList(trustedProxies);
  return ({ socket, headers }) => {
    let client = normal(socket.remoteAddress ?? '');
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (isTrusted(client)) {
      const next = forwarded.pop()?.trim();
      // Without a readable address, the last proxy that is known stands for the client.
      if (next === undefined || !isIP(next)) break;
      client = normal(next);
    }
    return client;
  };
}

/** An IPv4 address that is mapped to IPv6 as IPv4. */
const normal = (address: string): string => (isIP(address) ? ipaddr.process(address).toString() : address);
