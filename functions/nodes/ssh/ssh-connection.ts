import { NodeSSH } from 'node-ssh';
import type { HostKey } from '../../table/nodes/pinned-host-key.ts';
import { connectFailure } from './connect-failure.ts';
import type { NodeTarget } from './node-target.ts';
import { algorithmsOf, readHostKey, sameHostKey } from './read-host-key.ts';

/** How long a server may keep silent. */
export type ConnectionTimeouts = {
  /** from the first packet to the end of the authentication */
  readySeconds: number;
  /** between two keep-alives, of which three may go unanswered */
  keepAliveSeconds: number;
};

export const defaultTimeouts: ConnectionTimeouts = { readySeconds: 15, keepAliveSeconds: 10 };

export type Connection = {
  ssh: NodeSSH;
  /** the error that ended the connection, undefined while it lives and when it was closed in order */
  lostFor: () => Error | undefined;
};

/**
 * Connects, lets `use` work, and closes. The server's key is checked before the authentication: the first key that a server shows is pinned, whatever
 * comes of the connection, and any other ends it.
 * @throws NodeUnreachable when there is no connection; what `use` throws
 */
export async function withConnection<T>(
  target: NodeTarget,
  patience: ConnectionTimeouts,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const ssh = new NodeSSH();
  let shown: HostKey | undefined;
  let pinned = target.hostKey;
  let pinFailure: unknown;
  const connected = ssh.connect({
    host: target.address,
    port: target.port,
    username: target.user,
    privateKey: target.privateKey,
    readyTimeout: patience.readySeconds * 1000,
    keepaliveInterval: patience.keepAliveSeconds * 1000,
    keepaliveCountMax: 3,
    algorithms: { serverHostKey: algorithmsOf(target.hostKey) },
    hostVerifier: (key: Buffer, verify: (isAccepted: boolean) => void) => {
      const current = readHostKey(key);
      shown = current;
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
  // node-ssh listens for errors only while it connects; one that comes later would end the process.
  const client = ssh.connection;
  let lostFor: Error | undefined;
  client?.on('error', (error: Error) => {
    lostFor ??= error;
  });
  try {
    await connected.catch((error) => {
      throw pinFailure ?? connectFailure(error, pinned, shown);
    });
    return await use({ ssh, lostFor: () => lostFor });
  } finally {
    // Not `end`, which waits for the answer of a server that may be frozen.
    client?.destroy();
  }
}
