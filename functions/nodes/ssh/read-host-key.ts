import { createHash } from 'node:crypto';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import type { HostKey } from '../../table/nodes/pinned-host-key.ts';

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
export const algorithmsOf = (pinned: HostKey | null): ServerHostKeyAlgorithm[] =>
  (pinned && algorithms[pinned.type]) ?? Object.values(algorithms).flat();

/** @param key a public key in the wire format, which begins with its type */
export const readHostKey = (key: Buffer): HostKey => ({
  type: key.toString('latin1', 4, 4 + key.readUInt32BE(0)),
  sha256: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
});

export const sameHostKey = (a: HostKey, b: HostKey): boolean => a.type === b.type && a.sha256 === b.sha256;
