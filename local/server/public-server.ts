import type { Server } from 'node:http';
import { createAddressList } from 'embedded-aws';
import { isLoopback } from './public-address.ts';

/** Makes browsers use the host with TLS only. The functions of the API set another value, which includes subdomains. */
export const transportSecurity = ['strict-transport-security', 'max-age=31536000'] as const;

/**
 * Closes connections from other machines that are not trusted reverse proxies, because they would not be encrypted. A
 * server on a loopback address has no such connections.
 */
export function acceptOnlyProxies(
  server: Server,
  { listenAddress, trustedProxies }: { listenAddress: string; trustedProxies: readonly string[] },
): void {
  if (isLoopback(listenAddress)) return;
  const isProxy = createAddressList(trustedProxies);
  server.prependListener('connection', (socket) => {
    const { remoteAddress = '', localAddress } = socket;
    const isOwn = remoteAddress === localAddress || (remoteAddress !== '' && isLoopback(remoteAddress));
    if (!isOwn && !isProxy(remoteAddress)) socket.destroy();
  });
}
