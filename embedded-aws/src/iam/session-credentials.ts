import { createHmac, timingSafeEqual } from 'node:crypto';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html

/** Temporary credentials as STS issues them. */
export type SessionCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiresAtMs: number;
};

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const macBytes = 32;

/**
 * Credentials of a purpose until a time. They are derived from the master secret, and the token contains what they are
 * derived from: they are verified without a list of sessions, also after a restart.
 */
export function issueSession(masterSecret: Buffer, purpose: string, expiresAtMs: number): SessionCredentials {
  const content = Buffer.from(JSON.stringify([purpose, expiresAtMs]));
  return {
    ...keysOf(masterSecret, content),
    sessionToken: Buffer.concat([macOf(masterSecret, 'token', content), content]).toString('base64'),
    expiresAtMs,
  };
}

/** Undefined for a token that this secret did not sign. */
export function readSession(
  masterSecret: Buffer,
  sessionToken: string,
): { purpose: string; credentials: SessionCredentials } | undefined {
  const decoded = Buffer.from(sessionToken, 'base64');
  const [mac, content] = [decoded.subarray(0, macBytes), decoded.subarray(macBytes)];
  if (mac.length !== macBytes || !timingSafeEqual(mac, macOf(masterSecret, 'token', content))) return undefined;
  const [purpose, expiresAtMs] = JSON.parse(content.toString()) as [string, number];
  return { purpose, credentials: { ...keysOf(masterSecret, content), sessionToken, expiresAtMs } };
}

/** The access key id of temporary credentials starts with ASIA. */
function keysOf(masterSecret: Buffer, content: Buffer) {
  const id = [...macOf(masterSecret, 'access key id', content).subarray(0, 16)];
  return {
    accessKeyId: `ASIA${id.map((byte) => base32[byte % 32]).join('')}`,
    secretAccessKey: macOf(masterSecret, 'secret access key', content).toString('base64').slice(0, 40),
  };
}

const macOf = (masterSecret: Buffer, part: string, content: Buffer): Buffer =>
  createHmac('sha256', masterSecret).update(`session ${part}\0`).update(content).digest();
