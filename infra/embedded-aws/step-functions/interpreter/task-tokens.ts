import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type TokenDesk<Holder> = {
  /** A new unguessable token. */
  make(): string;
  open(token: string, holder: Holder): void;
  shut(token: string): void;
  find(token: string): Holder | undefined;
  /** Whether the token was made here, whenever that was: an old one is answered otherwise than an invented one. */
  isOurs(token: string): boolean;
};

const NONCE_BYTES = 24;

/** Tokens are a random part and its MAC under `key`, which has to stay the same over restarts. */
export function openTokenDesk<Holder>(key: Uint8Array): TokenDesk<Holder> {
  const holders = new Map<string, Holder>();
  const mac = (nonce: Uint8Array) => createHmac('sha256', key).update(nonce).digest();
  return {
    make() {
      const nonce = randomBytes(NONCE_BYTES);
      return Buffer.concat([nonce, mac(nonce)]).toString('base64url');
    },
    open: (token, holder) => void holders.set(token, holder),
    shut: (token) => void holders.delete(token),
    find: (token) => holders.get(token),
    isOurs(token) {
      const bytes = Buffer.from(token, 'base64url');
      const expected = mac(bytes.subarray(0, NONCE_BYTES));
      const given = bytes.subarray(NONCE_BYTES);
      // Decoding is lenient: several texts stand for the same bytes, and only one of them was given out.
      if (bytes.toString('base64url') !== token) return false;
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
