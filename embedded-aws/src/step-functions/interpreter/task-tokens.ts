import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type TaskTokens<Task> = {
  /** Creates a token that cannot be guessed. */
  create(): string;
  register(token: string, task: Task): void;
  revoke(token: string): void;
  find(token: string): Task | undefined;
  /** Whether this service issued the token, at any time. The API distinguishes expired tokens from invalid ones. */
  isGenuine(token: string): boolean;
};

const NONCE_BYTES = 24;

/** A token is a random part and its MAC. The key must stay the same over restarts. */
export function createTaskTokens<Task>(key: Uint8Array): TaskTokens<Task> {
  const tasks = new Map<string, Task>();
  const mac = (nonce: Uint8Array) => createHmac('sha256', key).update(nonce).digest();
  return {
    create() {
      const nonce = randomBytes(NONCE_BYTES);
      return Buffer.concat([nonce, mac(nonce)]).toString('base64url');
    },
    register: (token, task) => void tasks.set(token, task),
    revoke: (token) => void tasks.delete(token),
    find: (token) => tasks.get(token),
    isGenuine(token) {
      const bytes = Buffer.from(token, 'base64url');
      const expected = mac(bytes.subarray(0, NONCE_BYTES));
      const given = bytes.subarray(NONCE_BYTES);
      // Base64 decoding accepts several texts for the same bytes. Only the text that was issued is genuine.
      if (bytes.toString('base64url') !== token) return false;
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
