import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * A private key in a form that SSH clients read. OpenSSL's newer form, `BEGIN PRIVATE KEY`, is one that ours does not: it becomes the older form of
 * its type. What is in no form at all comes back as it is.
 */
export function readablePem(text: string): string {
  const lines = `${text.replaceAll('\r', '').trim()}\n`;
  if (!lines.startsWith('-----BEGIN PRIVATE KEY-----')) return lines;
  try {
    return olderForm(createPrivateKey(lines)) ?? lines;
  } catch {
    return lines;
  }
}

function olderForm(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return String(key.export({ type: 'pkcs1', format: 'pem' }));
    case 'ec':
      return String(key.export({ type: 'sec1', format: 'pem' }));
    case 'ed25519':
      return openSshForm(key);
    default:
      return undefined;
  }
}

/** Ed25519 has no older form but OpenSSH's own. Source: PROTOCOL.key of OpenSSH. */
function openSshForm(key: KeyObject): string {
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const [publicBytes, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const type = field('ssh-ed25519');
  const publicPart = Buffer.concat([type, field(publicBytes)]);
  // Two equal numbers show whoever decrypts that it went well; nothing is encrypted here.
  const check = Buffer.alloc(8);
  const open = Buffer.concat([check, publicPart, field(Buffer.concat([seed, publicBytes])), field('')]);
  const padding = Buffer.from(Array.from({ length: -open.length & 7 }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const all = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[field('none'), field('none'), field('')],
    count,
    field(publicPart),
    field(Buffer.concat([open, padding])),
  ]);
  const base64 = all.toString('base64').replace(/.{70}/g, '$&\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** A text as SSH writes one: its length before it. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
