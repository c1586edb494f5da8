import type { HostKey } from '../../table/nodes/pinned-host-key.ts';
import { NodeUnreachable } from './node-errors.ts';

/** An error of node-ssh, ssh2 or the socket. `level` is the layer of ssh2. */
type ConnectError = Error & { level?: string; code?: string | number };

const messages = {
  SSH_UNREACHABLE: 'The server does not accept SSH connections at this address and port.',
  SSH_TIMED_OUT: 'The connection timed out. Check the address, the firewall, and that the SSH server is running.',
  SSH_HANDSHAKE_FAILED:
    'The SSH handshake failed: the server at this address and port does not support a current version of SSH.',
  SSH_AUTHENTICATION_REFUSED:
    'The server rejected the key. Check the user, and that the public key is in its authorized_keys.',
  SSH_KEY_UNREADABLE: 'The private key cannot be read: it must be in OpenSSH or PEM format, without a passphrase.',
} as const;

/**
 * The error of a failed connection. It never contains the library's message, which could contain secrets.
 */
export function connectFailure(error: ConnectError, pinned: HostKey | null, presented: HostKey | undefined): Error {
  if (pinned && presented && (presented.sha256 !== pinned.sha256 || presented.type !== pinned.type))
    return keyChanged(pinned, `${presented.type} ${presented.sha256}`);
  if (pinned && /no matching host key/i.test(error.message)) return keyChanged(pinned, 'a key of another type');
  const code = codeOf(error);
  return new NodeUnreachable(code, messages[code]);
}

/** A reason code of SSH_MSG_DISCONNECT in RFC 4253. */
const noMoreAuthMethods = 14;

const keyChanged = (pinned: HostKey, presented: string): NodeUnreachable =>
  new NodeUnreachable(
    'SSH_HOST_KEY_CHANGED',
    `The server presented ${presented} instead of the pinned ${pinned.type} ${pinned.sha256}. Nothing was sent to it. If it was ` +
      'reinstalled, change the node’s address, user or key and run the step check again. If not, another machine is using its address.',
  );

function codeOf({ level, code, message }: ConnectError): keyof typeof messages {
  if (/privateKey/.test(message)) return 'SSH_KEY_UNREADABLE';
  if (level === 'client-authentication' || code === noMoreAuthMethods) return 'SSH_AUTHENTICATION_REFUSED';
  if (level === 'client-timeout' || (level === 'client-socket' && code === 'ETIMEDOUT')) return 'SSH_TIMED_OUT';
  if (level === 'client-socket' && code !== 'ECONNRESET') return 'SSH_UNREACHABLE';
  return 'SSH_HANDSHAKE_FAILED';
}
