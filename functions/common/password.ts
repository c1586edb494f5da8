import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The first of OWASP's recommended scrypt parameter sets: 128 MiB and about 0.3 s for each guess. */
const cost = { logN: 17, r: 8, p: 1 } as const;
const keyBytes = 32;

/**
 * `scrypt$17$8$1$<salt>$<key>`: each hash has its parameters, so that they can be raised and older hashes stay valid.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await keyOf(password, salt, cost);
  return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether the password matches the hash. Without a hash (no such user) it returns false after the same time. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, logN, r, p, salt, key] = (hash ?? unknownUser).split('$') as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const expected = Buffer.from(key, 'base64url');
  const actual = await keyOf(password, Buffer.from(salt, 'base64url'), {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected) && hash !== undefined;
}

const unknownUser = `scrypt$${cost.logN}$${cost.r}$${cost.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function keyOf(password: string, salt: Buffer, { logN, r, p }: { logN: number; r: number; p: number }) {
  const N = 2 ** logN;
  // Node's default limit is 32 MiB.
  return derive(password, salt, keyBytes, { N, r, p, maxmem: 2 * 128 * N * r });
}
