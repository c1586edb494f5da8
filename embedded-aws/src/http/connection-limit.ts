import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAddressList, createClientAddress } from './client-address.ts';

export type ConnectionLimits = {
  maxConnections: number;
  /** Their connections are those of the clients that they name. */
  trustedProxies: readonly string[];
  /** Ends a connection with 503. */
  refuse: (socket: Socket, response: ServerResponse | undefined) => void;
};

type Connection = {
  socket: Socket;
  /** undefined between the requests of a proxy */
  client: string | undefined;
  underWay?: { request: IncomingMessage; response: ServerResponse };
  /** A request was answered on it: its client does not expect an answer before the next one. */
  wasUsed: boolean;
};

/**
 * Limits the connections of a server, and those of each client: a machine to a half of them, since programs of one
 * machine share its address, and a client of a reverse proxy to a tenth. Instead of a new connection above a limit, the
 * oldest one whose request is incomplete is ended. While all are being answered, the new one is refused.
 */
export function limitConnections(server: Server, { maxConnections, trustedProxies, refuse }: ConnectionLimits): void {
  const isProxy = createAddressList(trustedProxies);
  const clientAddress = createClientAddress(trustedProxies);
  const maxOfMachine = Math.max(1, Math.floor(maxConnections / 2));
  const maxOfClient = Math.max(1, Math.floor(maxConnections / 10));
  /** the oldest first */
  const connections = new Map<Socket, Connection>();
  const counts = new Map<string, number>();

  const count = (client: string | undefined, added: 1 | -1): void => {
    if (client === undefined) return;
    const sum = (counts.get(client) ?? 0) + added;
    if (sum > 0) counts.set(client, sum);
    else counts.delete(client);
  };
  const assign = (connection: Connection, client: string | undefined): void => {
    count(connection.client, -1);
    count(client, 1);
    connection.client = client;
  };
  const remove = (socket: Socket): void => {
    const connection = connections.get(socket);
    if (!connection) return;
    assign(connection, undefined);
    connections.delete(socket);
  };
  const end = ({ socket, underWay, wasUsed }: Connection): void => {
    remove(socket);
    if (wasUsed && !underWay) socket.destroy();
    else refuse(socket, underWay?.response);
  };
  /** Ends the oldest connection with an incomplete request, of one client or of all; else the new one itself. */
  const makeRoom = (latest: Connection, client?: string): void => {
    for (const one of connections.values()) {
      if (one.underWay?.request.complete || (client !== undefined && one.client !== client)) continue;
      end(one);
      return;
    }
    end(latest);
  };

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const connection: Connection = { socket, client: undefined, wasUsed: false };
    connections.set(socket, connection);
    socket.once('close', () => remove(socket));
    if (connections.size > maxConnections / 2) server.closeIdleConnections();
    if (!isProxy(remoteAddress)) {
      const client = networkOf(remoteAddress);
      assign(connection, client);
      if (counts.get(client)! > maxOfMachine) makeRoom(connection, client);
    }
    if (connections.size > maxConnections) makeRoom(connection);
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    const isOfProxy = connection.client === undefined;
    connection.underWay = { request, response };
    connection.wasUsed = true;
    response.once('close', () => {
      delete connection.underWay;
      if (isOfProxy && connections.has(connection.socket)) assign(connection, undefined);
    });
    if (!isOfProxy) return;
    const address = clientAddress(request);
    const client = networkOf(address);
    assign(connection, client);
    // A request without the address of a client is of a program on the proxy's machine.
    if (counts.get(client)! > (isProxy(address) ? maxOfMachine : maxOfClient)) makeRoom(connection, client);
  });
}

/** An IPv4 address, or the network of an IPv6 address: a client has all addresses of a /64. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
