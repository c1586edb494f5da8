import { NodeSSH } from 'node-ssh';
import type { HostKey, NodeTarget } from '../target.ts';
import { connectFailure } from './connect-failure.ts';
import { algorithmsOf, readHostKey, sameHostKey } from './host-key.ts';

/** How long a server may keep silent. */
export type Patience = {
  /** from the first packet to the end of the authentication */
  readySeconds: number;
  /** between two keep-alives, of which three may go unanswered */
  keepAliveSeconds: number;
};

export const usualPatience: Patience = { readySeconds: 15, keepAliveSeconds: 10 };

export type Connection = {
  ssh: NodeSSH;
  hostKey: HostKey;
  /** the error that ended the connection, undefined while it lives and when it was closed in order */
  lostFor: () => Error | undefined;
};

/**
 * Connects, lets `use` work, and closes. The server's key is looked at before anything of ours is shown to it: a key other than the pinned one ends
 * the connection ahead of the authentication.
 * @throws NodeUnreachable when there is no connection; what `use` throws
 */
export async function withConnection<T>(
  target: NodeTarget,
  patience: Patience,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const ssh = new NodeSSH();
  let shown: HostKey | undefined;
  const connected = ssh.connect({
    host: target.address,
    port: target.port,
    username: target.user,
    privateKey: target.privateKey,
    readyTimeout: patience.readySeconds * 1000,
    keepaliveInterval: patience.keepAliveSeconds * 1000,
    keepaliveCountMax: 3,
    algorithms: { serverHostKey: algorithmsOf(target.hostKey) },
    hostVerifier: (key: Buffer) => {
      shown = readHostKey(key);
      return target.hostKey === null || sameHostKey(shown, target.hostKey);
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
      throw connectFailure(error, target.hostKey, shown);
    });
    return await use({ ssh, hostKey: shown!, lostFor: () => lostFor });
  } finally {
    // Not `end`, which waits for the answer of a server that may be frozen.
    client?.destroy();
  }
}
