import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chosen } from './keyed-request.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Random letters and digits, 5.95 bits each. Bytes of 248 and more are discarded, so that all 62 characters are equally
 * likely.
 */
export const randomBase62 = (length: number): string => chosen('secret', () => makeBase62(length));

function makeBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** Hex SHA-256, also the form in which random secrets are stored. Passwords need a slow hash instead. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Compares two texts in constant time: the time does not depend on where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
