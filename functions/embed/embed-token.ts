import { createHmac } from 'node:crypto';
import { equalSecrets } from '../common/secret.ts';
import type { SigningKeys } from '../delivery/signing-keys.ts';

/** What a token allows: playing one video until a time, in frames of some domains or, if there are none, of all. */
export type EmbedClaims = { videoUlid: string; expiresSeconds: number; allowedDomains: string[] };

/**
 * The first line of the signed message. A signed URL has `v1` there, so neither signature is valid as the other,
 * although both are made with the same keys.
 */
const purpose = 'embed-token-v1';

/** `<key ID>.<expires>.<video>.<allowed domains, base64url>.<signature>` */
const tokenForm =
  /^([a-z0-9]{1,16})\.([0-9]{1,12})\.([0-7][0-9A-HJKMNP-TV-Z]{25})\.([A-Za-z0-9_-]{0,4096})\.([A-Za-z0-9_-]{43})$/;

type Keys = Pick<SigningKeys, 'current' | 'keys'>;

/** Signs a token with the current key. */
export function signEmbedToken({ videoUlid, expiresSeconds, allowedDomains }: EmbedClaims, { current, keys }: Keys) {
  const secret = keys[current];
  if (secret === undefined) throw new Error(`there is no signing key ${current}`);
  const domains = Buffer.from(allowedDomains.join(',')).toString('base64url');
  const claims = `${current}.${expiresSeconds}.${videoUlid}.${domains}`;
  return `${claims}.${signature(secret, claims)}`;
}

/** The claims of a token for a video. The signature is checked before the expiry. */
export function checkEmbedToken(
  token: string,
  videoUlid: string,
  { keys }: Pick<Keys, 'keys'>,
  nowSeconds: number,
): EmbedClaims | 'invalid' | 'expired' {
  const [, keyId = '', expires = '', tokenVideo = '', domains = '', signed = ''] = tokenForm.exec(token) ?? [];
  // `constructor` and the like are inherited properties of every object.
  const secret = Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
  if (secret === undefined || tokenVideo !== videoUlid) return 'invalid';
  if (!equalSecrets(signature(secret, `${keyId}.${expires}.${tokenVideo}.${domains}`), signed)) return 'invalid';
  const expiresSeconds = Number(expires);
  if (expiresSeconds < nowSeconds) return 'expired';
  const allowedDomains = Buffer.from(domains, 'base64url').toString().split(',');
  return { videoUlid, expiresSeconds, allowedDomains: allowedDomains.filter((domain) => domain !== '') };
}

const signature = (secret: string, claims: string): string =>
  createHmac('sha256', Buffer.from(secret, 'base64url')).update(`${purpose}\n${claims}`).digest('base64url');
