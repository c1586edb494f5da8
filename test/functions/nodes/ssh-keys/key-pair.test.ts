import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { describe, expect, test } from 'vitest';
import { ValidationFailed } from '../../../../functions/common/errors.ts';
import { readKeyPair } from '../../../../functions/nodes/ssh-keys/key-pair.ts';
import { generateReadablePair } from '../../../fixtures/records/store-ssh-key.ts';

const pairs = {
  Ed25519: generateReadablePair(() => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'a b' })),
  'ECDSA of 256 bits': generateReadablePair(() => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })),
  'ECDSA of 521 bits': generateReadablePair(() => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 521 })),
  'RSA of 2048 bits': generateReadablePair(() => ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 })),
};
const { public: ours, private: secret } = pairs.Ed25519;

/** The errors of a rejected pair, by field. */
function faults(publicText: string, privateText: string): Record<string, string[]> {
  try {
    readKeyPair(publicText, privateText);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  throw new Error('the pair was taken');
}

const parsed = (text: string): ParsedKey => {
  const key = ssh2.utils.parseKey(text) as ParsedKey | ParsedKey[] | Error;
  if (key instanceof Error) throw key;
  return [key].flat()[0]!;
};

test.each(Object.entries(pairs))('%s in OpenSSH format is a pair', (_, pair) => {
  const key = readKeyPair(pair.public, pair.private);
  expect(key.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
  expect(key.publicKey).toBe(pair.public.trim());
  expect(parsed(key.privateKey).getPublicSSH()).toEqual(parsed(pair.public).getPublicSSH());
});

test('the fingerprint is of the key without its comment, as in ssh-keygen', () => {
  const blob = Buffer.from(ours.split(' ')[1]!, 'base64');
  const sha256 = createHash('sha256').update(blob).digest('base64').slice(0, 43);
  expect(readKeyPair(ours, secret).fingerprint).toBe(`SHA256:${sha256}`);
});

describe('PKCS#8, which the SSH client does not read, is converted', () => {
  const forms: [string, KeyObject, RegExp][] = [
    ['Ed25519', generateKeyPairSync('ed25519').privateKey, /^-----BEGIN OPENSSH PRIVATE KEY-----/],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, /^-----BEGIN RSA PRIVATE KEY-----/],
    ['ECDSA', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, /^-----BEGIN EC PRIVATE KEY-----/],
  ];
  test.each(forms)('%s', (_, key, form) => {
    const olderForm = readKeyPairOf(key);
    expect(olderForm.privateKey).toMatch(form);
    const message = 'signed by what was made of it';
    const signature = parsed(olderForm.privateKey).sign(message) as Buffer;
    expect(parsed(olderForm.publicKey).verify(message, signature)).toBe(true);
  });
});

/** Derives the public key from the private key, like `ssh-keygen -y`. */
function readKeyPairOf(key: KeyObject) {
  const pem = String(key.export({ type: 'pkcs8', format: 'pem' }));
  const type = { ed25519: 'ssh-ed25519', rsa: 'ssh-rsa', ec: 'ecdsa-sha2-nistp384' }[key.asymmetricKeyType as 'rsa'];
  return readKeyPair(`${type} ${publicBlob(key).toString('base64')}`, pem);
}

function publicBlob(key: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const field = (content: Buffer | string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(content));
    return Buffer.concat([length, Buffer.from(content as string)]);
  };
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return Buffer.concat([field('ssh-ed25519'), field(bytes(x))]);
    case 'rsa':
      return Buffer.concat([field('ssh-rsa'), field(bytes(e)), field(Buffer.concat([Buffer.alloc(1), bytes(n)]))]);
    default:
      return Buffer.concat([
        field('ecdsa-sha2-nistp384'),
        field('nistp384'),
        field(Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)])),
      ]);
  }
}

describe('refused', () => {
  const other = pairs['ECDSA of 256 bits'];
  const encrypted = ssh2.utils.generateKeyPairSync('ed25519', { passphrase: 'x', cipher: 'aes256-ctr', rounds: 1 });
  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (options: object) => String(rsa.export({ format: 'pem', ...options } as never));
  const locked = { cipher: 'aes-256-cbc', passphrase: 'x' };

  test.each([
    ['another key’s private half', ours, other.private, 'does not belong'],
    ['a passphrase', encrypted.public, encrypted.private, 'passphrase'],
    ['a passphrase in the older form', ours, pem({ type: 'pkcs1', ...locked }), 'passphrase'],
    ['a passphrase in the newer form', ours, pem({ type: 'pkcs8', ...locked }), 'passphrase'],
    ['garbage', ours, 'garbage', 'cannot be read'],
    ['garbage between the right lines', ours, secret.replace(/\n[^-][\s\S]*\n/, '\nAAAA\n'), 'cannot be read'],
    ['half of it', ours, secret.slice(0, 120), 'cannot be read'],
    ['the public half again', ours, ours, 'one private key'],
    ['a deprecated type', ours, pemOfDsa(), 'must be Ed25519, RSA or ECDSA'],
    ['a short RSA key', ...shortRsa(), 'at least 2048 bits'],
  ])('as private key: %s', (_, publicText, privateText, message) => {
    const errors = faults(publicText, privateText);
    expect(errors).toEqual({ private_key: [expect.stringContaining(message)] });
    expect(JSON.stringify(errors)).not.toContain(privateText.split('\n')[1]?.slice(0, 20) ?? 'nothing');
  });

  test.each([
    ['options before it', `command="id" ${ours}`],
    ['two lines', `${ours}\n${ours}`],
    ['a type without a key', 'ssh-ed25519'],
    ['the blob of another type', ours.replace('ssh-ed25519', 'ssh-rsa')],
    ['a deprecated type', ours.replace('ssh-ed25519', 'ssh-dss')],
    ['a certificate', ours.replace('ssh-ed25519', 'ssh-ed25519-cert-v01')],
    ['a blob that is cut off', ours.slice(0, 40)],
    ['the private half', secret],
    ['a control character in the comment', `${ours.trim()}\u0000`],
  ])('as public key: %s', (_, publicText) => {
    expect(Object.keys(faults(publicText, secret))).toEqual(['public_key']);
  });

  test('a file with a private key and the public key of another pair', () => {
    const mine = Buffer.from(secret.replace(/-----.*-----|\s/g, ''), 'base64');
    const theirs = parsed(ssh2.utils.generateKeyPairSync('ed25519').public).getPublicSSH();
    const shown = mine.indexOf(parsed(ours).getPublicSSH());
    theirs.copy(mine, shown);
    const forged = `-----BEGIN OPENSSH PRIVATE KEY-----\n${mine.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
    expect(Object.keys(faults(`ssh-ed25519 ${theirs.toString('base64')}`, forged))).toEqual(['private_key']);
  });
});

function shortRsa(): [string, string] {
  const pair = ssh2.utils.generateKeyPairSync('rsa', { bits: 1024 });
  return [pair.public, pair.private];
}

/** A DSA key: the numbers p, q, g, y and x, here small ones, in ASN.1. */
function pemOfDsa(): string {
  const numbers = Buffer.from([0x30, 18, 2, 1, 0, 2, 1, 7, 2, 1, 3, 2, 1, 2, 2, 1, 4, 2, 1, 2]);
  return `-----BEGIN DSA PRIVATE KEY-----\n${numbers.toString('base64')}\n-----END DSA PRIVATE KEY-----\n`;
}
