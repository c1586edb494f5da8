import { createHash } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { ValidationFailed } from '../../common/errors.ts';
import type { FieldErrorCode } from '../../common/field-errors.ts';
import { readablePem } from './readable-pem.ts';

export type KeyPair = {
  /** one line: type, base64, comment */
  publicKey: string;
  /** in a format that SSH clients read */
  privateKey: string;
  /** in OpenSSH's format, `SHA256:…` */
  fingerprint: string;
};

const keyTypes = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const;
const minRsaBits = 2048;

/** Size limit of a parameter in the secret store. */
const maxPrivateKeyBytes = 8192;

/**
 * Checks that two keys are a pair, and returns them in the formats in which they are stored.
 * @throws ValidationFailed on the invalid key; the message does not contain any of its content
 */
export function readKeyPair(publicText: string, privateText: string): KeyPair {
  const parsedPublicKey = readPublicKey(publicText);
  const privateKey = readablePem(privateText);
  const parsedPrivateKey = readPrivateKey(privateKey);
  if (!parsedPublicKey.blob.equals(parsedPrivateKey.getPublicSSH()) || !isConsistent(parsedPrivateKey)) {
    refuse('private_key', 'key_pair', 'The private key does not belong to the public key.');
  }
  return { publicKey: parsedPublicKey.line, privateKey, fingerprint: fingerprintOf(parsedPublicKey.blob) };
}

function readPublicKey(text: string): { line: string; blob: Buffer } {
  const [, type = '', base64 = '', comment = ''] =
    /^([a-z0-9-]{3,32}) +([A-Za-z0-9+/]{16,8000}={0,2})(?: +([^\p{Cc}]{0,255}))?$/u.exec(text) ?? [];
  if (type === '')
    refuse(
      'public_key',
      'key_format',
      'The public key field must be one line in OpenSSH format: type, key and comment.',
    );
  checkType(type, 'public_key');
  const parsed = ssh2.utils.parseKey(`${type} ${base64}`);
  if (parsed instanceof Error || parsed.type !== type)
    refuse('public_key', 'key_format', 'The public key cannot be read.');
  return { line: [type, base64, comment].filter(Boolean).join(' '), blob: (parsed as ParsedKey).getPublicSSH() };
}

function readPrivateKey(pem: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(pem) as ParsedKey | ParsedKey[] | Error;
  if (parsed instanceof Error) {
    if (pem.startsWith('-----BEGIN ENCRYPTED') || /passphrase|encrypted/i.test(parsed.message)) {
      refuse(
        'private_key',
        'key_passphrase',
        'The private key has a passphrase. Send a private key without a passphrase.',
      );
    }
    return refuse('private_key', 'key_format', 'The private key cannot be read: send it in OpenSSH or PEM format.');
  }
  const [key, ...others] = [parsed].flat();
  if (!key?.isPrivateKey() || others.length > 0) {
    return refuse('private_key', 'key_format', 'The private key field must hold one private key.');
  }
  checkType(key.type, 'private_key');
  if (key.type === 'ssh-rsa' && rsaBits(key) < minRsaBits) {
    refuse('private_key', 'key_type', `RSA keys need at least ${minRsaBits} bits.`);
  }
  if (Buffer.byteLength(pem) > maxPrivateKeyBytes) {
    refuse('private_key', 'key_type', `The private key must not be greater than ${maxPrivateKeyBytes} bytes.`);
  }
  return key;
}

/**
 * Whether the private key belongs to the public key in the same file: a file can contain the public key of another
 * pair.
 */
function isConsistent(key: ParsedKey): boolean {
  const challenge = 'key pair check';
  const signature: unknown = key.sign(challenge);
  return Buffer.isBuffer(signature) && key.verify(challenge, signature) === true;
}

function checkType(type: string, field: string): void {
  if (!keyTypes.some((known) => known === type))
    refuse(field, 'key_type', 'The key type must be Ed25519, RSA or ECDSA.');
}

/** In the wire format, the modulus is the last of the three parts of an RSA key, with a leading zero byte. */
function rsaBits(key: ParsedKey): number {
  const blob = key.getPublicSSH();
  const exponentAt = 4 + blob.readUInt32BE(0);
  const modulusAt = exponentAt + 4 + blob.readUInt32BE(exponentAt);
  return (blob.readUInt32BE(modulusAt) - 1) * 8;
}

const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;

function refuse(field: string, code: FieldErrorCode, message: string): never {
  throw new ValidationFailed({ [field]: [{ code, message }] });
}
