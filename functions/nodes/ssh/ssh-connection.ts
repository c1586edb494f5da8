import { NodeSSH } from 'node-ssh';
import type { HostKey } from '../../table/nodes/pinned-host-key.ts';
import { connectFailure } from './connect-failure.ts';
import type { NodeTarget } from './node-target.ts';
import { algorithmsOf, readHostKey, sameHostKey } from './read-host-key.ts';

export type ConnectionTimeouts = {
  /** from the first packet to the end of the authentication */
  readySeconds: number;
  /** between two keep-alives; after three without a response, the connection is closed */
  keepAliveSeconds: number;
};

export const defaultTimeouts: ConnectionTimeouts = { readySeconds: 15, keepAliveSeconds: 10 };

export type Connection = {
  ssh: NodeSSH;
  /** the error that closed the connection; undefined while it is open and after a normal close */
  connectionError: () => Error | undefined;
};

/**
 * Connects, calls `use`, and closes the connection. The host key is verified before authentication: the first key of a
 * server is pinned, even if the connection then fails, and a connection with any other key is closed.
 * @throws NodeUnreachable when the connection fails; errors of `use`
 */
export async function withConnection<T>(
  target: NodeTarget,
  timeouts: ConnectionTimeouts,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const ssh = new NodeSSH();
  let presented: HostKey | undefined;
  let pinned = target.hostKey;
  let pinFailure: unknown;
  const connected = ssh.connect({
    host: target.address,
    port: target.port,
    username: target.user,
    privateKey: target.privateKey,
    readyTimeout: timeouts.readySeconds * 1000,
    keepaliveInterval: timeouts.keepAliveSeconds * 1000,
    keepaliveCountMax: 3,
    algorithms: { serverHostKey: algorithmsOf(target.hostKey) },
    hostVerifier: (key: Buffer, verify: (isAccepted: boolean) => void) => {
      const current = readHostKey(key);
      presented = current;
      const pinning = pinned ? Promise.resolve(pinned) : target.pinHostKey(current);
      pinning
        .then((known) => {
          pinned = known;
          verify(sameHostKey(current, known));
        })
        .catch((error: unknown) => {
          pinFailure = error;
          verify(false);
        });
    },
  });
  // node-ssh listens for errors only while it connects; a later error would end the process.
  const client = ssh.connection;
  let connectionError: Error | undefined;
  client?.on('error', (error: Error) => {
    connectionError ??= error;
  });
  try {
    await connected.catch((error) => {
      throw pinFailure ?? connectFailure(error, pinned, presented);
    });
    return await use({ ssh, connectionError: () => connectionError });
  } finally {
    // Not `end`, which waits for a response of the server.
    client?.destroy();
  }
}
