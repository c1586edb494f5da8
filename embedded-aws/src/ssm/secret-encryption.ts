import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DamagedData } from '../durable/damaged-data.ts';
import { readKey, writeWhole } from '../durable/whole-file.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Secrets = {
  /**
   * Returns base64 of nonce, authentication tag and ciphertext (AES-256-GCM). The same `context` is needed to decrypt
   * it.
   */
  seal(text: string, context: string): string;
  /** @throws when the key or context differs or the text was changed */
  open(sealed: string, context: string): string;
};

/**
 * Reads the key file. If it does not exist, it is created, readable by its owner only, provided that `mayCreate` is
 * true.
 */
export async function openSecrets(keyFile: string, mayCreate: boolean): Promise<Secrets> {
  const key = await keyIn(keyFile, mayCreate);
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64');
      const tagEnd = NONCE_BYTES + TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return decipher.update(bytes.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

async function keyIn(keyFile: string, mayCreate: boolean): Promise<Buffer> {
  const key = await readKey(keyFile, KEY_BYTES);
  if (!key && mayCreate) return makeKey(keyFile);
  if (!key) {
    throw new DamagedData(keyFile, 'is missing: SecureString parameters cannot be decrypted without it.');
  }
  return key;
}

async function makeKey(keyFile: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await mkdir(dirname(keyFile), { recursive: true });
  await writeWhole(keyFile, key);
  return key;
}
