import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * A private key in a format that our SSH client reads. It does not read PKCS#8 (`BEGIN PRIVATE KEY`), so such a key is
 * converted to the traditional format of its type. Text that is not a key is returned unchanged.
 */
export function readablePem(text: string): string {
  const lines = `${text.replaceAll('\r', '').trim()}\n`;
  if (!lines.startsWith('-----BEGIN PRIVATE KEY-----')) return lines;
  try {
    return traditionalFormat(createPrivateKey(lines)) ?? lines;
  } catch {
    return lines;
  }
}

function traditionalFormat(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return String(key.export({ type: 'pkcs1', format: 'pem' }));
    case 'ec':
      return String(key.export({ type: 'sec1', format: 'pem' }));
    case 'ed25519':
      return openSshFormat(key);
    default:
      return undefined;
  }
}

/** Ed25519 has no traditional PEM format, only OpenSSH's. Source: PROTOCOL.key of OpenSSH. */
function openSshFormat(key: KeyObject): string {
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const [publicBytes, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const type = field('ssh-ed25519');
  const publicPart = Buffer.concat([type, field(publicBytes)]);
  // Two equal numbers, by which a reader of an encrypted key detects a wrong passphrase; here nothing is encrypted.
  const check = Buffer.alloc(8);
  const open = Buffer.concat([check, publicPart, field(Buffer.concat([seed, publicBytes])), field('')]);
  const padding = Buffer.from(Array.from({ length: -open.length & 7 }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const all = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    count,
    field(publicPart),
    field(Buffer.concat([open, padding])),
  ]);
  const base64 = all.toString('base64').replace(/.{70}/g, '$&\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** A string in SSH's wire format: length, then content. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
