import type { HostKey } from '../../table/nodes/pinned-host-key.ts';
import { NodeUnreachable } from './node-errors.ts';

/** An error of node-ssh, ssh2 or the socket. `level` says which layer of ssh2 it is of. */
type ConnectError = Error & { level?: string; code?: string | number };

const sentences = {
  SSH_UNREACHABLE: 'The server does not take SSH connections at this address and port.',
  SSH_TIMED_OUT: 'The server did not answer in time. Check its address, its firewall, and that its SSH server runs.',
  SSH_HANDSHAKE_FAILED: 'What answers at this address and port does not speak SSH as it has to be spoken today.',
  SSH_AUTHENTICATION_REFUSED:
    'The server refused the key. Check the user, and that the public key is in its authorized_keys.',
  SSH_KEY_UNREADABLE: 'The private key cannot be read: it has to be in OpenSSH or PEM form, without a passphrase.',
} as const;

/** Says why there is no connection, in sentences of our own: nothing of a library's message, which might quote what it was given. */
export function connectFailure(error: ConnectError, pinned: HostKey | null, shown: HostKey | undefined): Error {
  if (pinned && shown && (shown.sha256 !== pinned.sha256 || shown.type !== pinned.type))
    return keyChanged(pinned, `${shown.type} ${shown.sha256}`);
  if (pinned && /no matching host key/i.test(error.message)) return keyChanged(pinned, 'a key of another type');
  const code = codeOf(error);
  return new NodeUnreachable(code, sentences[code]);
}

/** The reason of a disconnection, by its number in RFC 4253. */
const noMoreMethods = 14;

const keyChanged = (pinned: HostKey, shown: string): NodeUnreachable =>
  new NodeUnreachable(
    'SSH_HOST_KEY_CHANGED',
    `The server shows ${shown} instead of the pinned ${pinned.type} ${pinned.sha256}. Nothing was sent to it. If it was set up ` +
      'anew, change the node’s address, user or key and run the step check again. If not, another machine answers in its place.',
  );

function codeOf({ level, code, message }: ConnectError): keyof typeof sentences {
  if (/privateKey/.test(message)) return 'SSH_KEY_UNREADABLE';
  if (level === 'client-authentication' || code === noMoreMethods) return 'SSH_AUTHENTICATION_REFUSED';
  if (level === 'client-timeout' || (level === 'client-socket' && code === 'ETIMEDOUT')) return 'SSH_TIMED_OUT';
  if (level === 'client-socket' && code !== 'ECONNRESET') return 'SSH_UNREACHABLE';
  return 'SSH_HANDSHAKE_FAILED';
}
