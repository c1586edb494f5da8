import { createHash } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { ValidationFailed } from '../../common/errors.ts';
import { readablePem } from './readable-pem.ts';

export type KeyPair = {
  /** one line: type, base64, comment */
  publicKey: string;
  /** as SSH clients read it */
  privateKey: string;
  /** as OpenSSH shows it, `SHA256:…` */
  fingerprint: string;
};

const keyTypes = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const;
const smallestRsaBits = 2048;

/** What a parameter of the secret store holds at the most. */
const largestPrivateKeyBytes = 8192;

/**
 * Two halves of one key, in the forms they are kept in.
 * @throws ValidationFailed on the half that is wrong, without a word of its content
 */
export function readKeyPair(publicText: string, privateText: string): KeyPair {
  const publicHalf = readPublicKey(publicText);
  const privateKey = readablePem(privateText);
  const privateHalf = readPrivateKey(privateKey);
  if (!publicHalf.blob.equals(privateHalf.getPublicSSH()) || !signsForItself(privateHalf)) {
    refuse('private_key', 'The private key does not belong to the public key.');
  }
  return { publicKey: publicHalf.line, privateKey, fingerprint: fingerprintOf(publicHalf.blob) };
}

function readPublicKey(text: string): { line: string; blob: Buffer } {
  const [, type = '', base64 = '', comment = ''] =
    /^([a-z0-9-]{3,32}) +([A-Za-z0-9+/]{16,8000}={0,2})(?: +([^\p{Cc}]{0,255}))?$/u.exec(text) ?? [];
  if (type === '')
    refuse('public_key', 'The public key field must be one line in OpenSSH form: type, key and comment.');
  checkType(type, 'public_key');
  const parsed = ssh2.utils.parseKey(`${type} ${base64}`);
  if (parsed instanceof Error || parsed.type !== type) refuse('public_key', 'The public key cannot be read.');
  return { line: [type, base64, comment].filter(Boolean).join(' '), blob: (parsed as ParsedKey).getPublicSSH() };
}

function readPrivateKey(pem: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(pem) as ParsedKey | ParsedKey[] | Error;
  if (parsed instanceof Error) {
    if (pem.startsWith('-----BEGIN ENCRYPTED') || /passphrase|encrypted/i.test(parsed.message)) {
      refuse('private_key', 'The private key has a passphrase, which nobody is there to type. Send one without.');
    }
    return refuse('private_key', 'The private key cannot be read: send it in OpenSSH or PEM form.');
  }
  const [key, ...others] = [parsed].flat();
  if (!key?.isPrivateKey() || others.length > 0) {
    return refuse('private_key', 'The private key field must hold one private key.');
  }
  checkType(key.type, 'private_key');
  if (key.type === 'ssh-rsa' && rsaBits(key) < smallestRsaBits) {
    refuse('private_key', `RSA keys need at least ${smallestRsaBits} bits.`);
  }
  if (Buffer.byteLength(pem) > largestPrivateKeyBytes) {
    refuse('private_key', `The private key must not be greater than ${largestPrivateKeyBytes} bytes.`);
  }
  return key;
}

/** A file may carry the public half of another key beside its private one. */
function signsForItself(key: ParsedKey): boolean {
  const challenge = 'halves of one key';
  const signature: unknown = key.sign(challenge);
  return Buffer.isBuffer(signature) && key.verify(challenge, signature) === true;
}

function checkType(type: string, field: string): void {
  if (!keyTypes.some((known) => known === type)) refuse(field, 'Keys may be of the types Ed25519, RSA and ECDSA.');
}

/** The modulus is the last of the three parts of an RSA key as it goes over the wire, with a zero in front. */
function rsaBits(key: ParsedKey): number {
  const blob = key.getPublicSSH();
  const exponentAt = 4 + blob.readUInt32BE(0);
  const modulusAt = exponentAt + 4 + blob.readUInt32BE(exponentAt);
  return (blob.readUInt32BE(modulusAt) - 1) * 8;
}

const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;

function refuse(field: string, message: string): never {
  throw new ValidationFailed({ [field]: [message] });
}
