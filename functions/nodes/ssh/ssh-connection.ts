import { createHash } from 'node:crypto';
import { NodeSSH } from 'node-ssh';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import type { HostKey } from '../../table/nodes/pinned-host-key.ts';
import { connectFailure } from './connect-failure.ts';
import type { NodeTarget } from './node-target.ts';

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

/** RSA keys are accepted with SHA-2 signatures only. */
const algorithms: Record<string, ServerHostKeyAlgorithm[]> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
};

/**
 * The algorithms to offer: only those of the pinned key's type, since a server with several keys presents the first one
 * that the client accepts.
 */
const algorithmsOf = (pinned: HostKey | null): ServerHostKeyAlgorithm[] =>
  (pinned && algorithms[pinned.type]) ?? Object.values(algorithms).flat();

/** @param key a public key in the wire format, which begins with its type */
const readHostKey = (key: Buffer): HostKey => ({
  type: key.toString('latin1', 4, 4 + key.readUInt32BE(0)),
  sha256: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
});

const sameHostKey = (a: HostKey, b: HostKey): boolean => a.type === b.type && a.sha256 === b.sha256;
