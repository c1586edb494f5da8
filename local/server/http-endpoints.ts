import { join } from 'node:path';
import {
  createHttpServer,
  type HttpLimits,
  largeTransfers,
  type RequestHandler,
  smallRequests,
  stopServer,
  type WriteLine,
} from 'embedded-aws';
import { listenAsBefore } from './control-port.ts';
import { errorBody } from './error-body.ts';
import { listen, listenOnSocket, loopbackAddress } from './listen.ts';
import type { Services } from './local-services.ts';
import { acceptOnlyClients, transportSecurity } from './public-server.ts';

export type Addresses = {
  /** The distribution, which delivers the API and the files of videos. */
  apiUrl: string;
  storeUrl: string;
  /** All AWS services except the object store. On loopback only. */
  controlUrl: string;
  controlPort: number;
};

type ListenOptions = { port: number; listenAddress: string; clients: readonly string[]; dataFolder: string };

/**
 * The HTTP servers of distribution, object store and control. They can listen before the services are open, because the
 * services need their addresses: requests that arrive earlier wait.
 */
export function createHttpEndpoints(
  services: Promise<Services>,
  { writeLine, hasTls, trustedProxies }: { writeLine: WriteLine; hasTls: boolean; trustedProxies: readonly string[] },
) {
  const serve = (pick: (services: Services) => RequestHandler, limits: HttpLimits = smallRequests) =>
    createHttpServer(
      async (request, response) => {
        if (hasTls) response.setHeader(...transportSecurity);
        await pick(await services)(request, response);
      },
      { ...limits, trustedProxies, errorBody },
      writeLine,
    );
  const publicServers = [serve(({ edge }) => edge), serve(({ store }) => store, largeTransfers)];
  const controlServer = serve(({ control }) => control);
  const sockets = {
    store: serve(({ store }) => store, largeTransfers),
    parameters: serve(({ control }) => control),
  };

  return {
    /** Distribution and store listen on `port` and the port after it, or on free ports for 0. @throws CannotStart */
    async listen({ port, listenAddress, clients, dataFolder }: ListenOptions): Promise<Addresses> {
      const ports: number[] = [];
      for (const [index, server] of publicServers.entries()) {
        acceptOnlyClients(server, { listenAddress, clients });
        ports.push(await listen(server, port && port + index, listenAddress));
      }
      const host = listenAddress === '0.0.0.0' ? loopbackAddress : listenAddress;
      const [apiUrl, storeUrl] = ports.map((one) => `http://${host}:${one}`) as [string, string];
      const controlPort = await listenAsBefore(controlServer, dataFolder);
      return { apiUrl, storeUrl, controlUrl: `http://${loopbackAddress}:${controlPort}`, controlPort };
    },
    /** The store and the parameters for containers of registered proxies, which do not reach the loopback address. */
    async listenOnSockets(folder: string): Promise<void> {
      for (const [name, server] of Object.entries(sockets)) await listenOnSocket(server, join(folder, name));
    },
    async stop(): Promise<void> {
      await Promise.all([...publicServers, controlServer, ...Object.values(sockets)].map(stopServer));
    },
  };
}
