import type { Server } from 'node:http';
import { createAddressList } from 'embedded-aws';
import { isLoopback } from './public-address.ts';

/** Makes browsers use the host with TLS only. The functions of the API set another value, which includes subdomains. */
export const transportSecurity = ['strict-transport-security', 'max-age=31536000'] as const;

/**
 * Closes connections from other machines that are not trusted reverse proxies, because they would not be encrypted. A
 * server on a loopback address has no such connections. In a container, `clients` has the machine as well.
 */
export function acceptOnlyClients(
  server: Server,
  { listenAddress, clients }: { listenAddress: string; clients: readonly string[] },
): void {
  if (isLoopback(listenAddress)) return;
  const isClient = createAddressList(clients);
  server.prependListener('connection', (socket) => {
    const { remoteAddress = '', localAddress } = socket;
    const isOwn = remoteAddress === localAddress || (remoteAddress !== '' && isLoopback(remoteAddress));
    if (!isOwn && !isClient(remoteAddress)) socket.destroy();
  });
}
