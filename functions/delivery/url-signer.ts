import { randomBytes } from 'node:crypto';
import signedUrl from '../../delivery/urls/signed-url.js';
import { nowSeconds, timestamp } from '../../shared/clock.ts';
import { listSession } from '../common/access-log.ts';
import { signedUrlSeconds } from '../common/limits.ts';
import type { Video } from '../table/records.ts';
import { readSigningKeys } from './signing-keys.ts';

/** Makes the URLs that one viewer gets for the files of videos. */
export type UrlSigner = {
  /** null for URLs without expiry */
  expiresAt: string | null;
  /** the URL of an object */
  sign: (objectKey: string) => string;
};

type SignedVideo = Pick<Video, 'playback'>;

/** URLs for one session. Those of a public video are stable: they have no signature and do not expire. */
export async function createUrlSigner(
  { playback }: SignedVideo,
  origin: string,
  lifetimeSeconds: number,
): Promise<UrlSigner> {
  if (playback === 'public') return publicUrls(origin);
  const expiresSeconds = nowSeconds() + lifetimeSeconds;
  return signedUrls(origin, {
    ...(await currentKey()),
    session: randomBytes(12).toString('base64url'),
    expiresSeconds,
  });
}

const hourSeconds = 3600;

/**
 * URLs for a list. They are the same for an hour, so that clients can cache the list and the images: the expiry is
 * rounded up to the full hour, and all lists have one session.
 */
export async function createListSigner(): Promise<(video: SignedVideo, origin: string) => UrlSigner> {
  const key = await currentKey();
  const expiresSeconds = Math.ceil((nowSeconds() + signedUrlSeconds.default) / hourSeconds) * hourSeconds;
  return ({ playback }, origin) =>
    playback === 'public' ? publicUrls(origin) : signedUrls(origin, { ...key, session: listSession, expiresSeconds });
}

const publicUrls = (origin: string): UrlSigner => ({
  expiresAt: null,
  sign: (objectKey) => `${origin}${signedUrl.publicPathOf(objectKey)}`,
});

type Claims = { keyId: string; secret: string; session: string; expiresSeconds: number };

const signedUrls = (origin: string, claims: Claims): UrlSigner => ({
  expiresAt: timestamp(claims.expiresSeconds * 1000),
  sign: (objectKey) => `${origin}${signedUrl.signPath({ ...claims, objectKey })}`,
});

async function currentKey(): Promise<{ keyId: string; secret: string }> {
  const { current: keyId, keys } = await readSigningKeys();
  const secret = keys[keyId];
  if (secret === undefined) throw new Error(`there is no signing key ${keyId}`);
  return { keyId, secret };
}
