import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { checkEmbedToken, signEmbedToken } from '../../../functions/embed/embed-token.ts';

const keys = { current: 'k2', keys: { k1: 'b25l', k2: 'dHdv' } };
const videoUlid = '01KAH0Z5M2P4R6T8W0Y2A4C6E8';
const otherUlid = '01KAH0Z5M2P4R6T8W0Y2A4C6E9';
const claims = { videoUlid, expiresSeconds: 2_000_000_000, allowedDomains: ['example.com', '*.example.org:8443'] };
const token = signEmbedToken(claims, keys);
const check = (text: string, ulid = videoUlid, nowSeconds = 1_900_000_000) =>
  checkEmbedToken(text, ulid, keys, nowSeconds);

test('a token has its claims until it expires', () => {
  expect(check(token)).toEqual(claims);
  expect(check(token, videoUlid, claims.expiresSeconds)).toEqual(claims);
  expect(check(token, videoUlid, claims.expiresSeconds + 1)).toBe('expired');
  expect(check(signEmbedToken({ ...claims, allowedDomains: [] }, keys))).toEqual({ ...claims, allowedDomains: [] });
});

test('a token of a key that is no longer current is valid while the key exists', () => {
  const old = signEmbedToken(claims, { ...keys, current: 'k1' });
  expect(check(old)).toEqual(claims);
  expect(checkEmbedToken(old, videoUlid, { keys: { k2: 'dHdv' } }, 0)).toBe('invalid');
});

test('a token of another video is invalid', () => {
  expect(check(token, otherUlid)).toBe('invalid');
  expect(check(token.replace(videoUlid, otherUlid), otherUlid)).toBe('invalid');
});

test('no character of a token can be changed', () => {
  for (let at = 0; at < token.length; at++) {
    // The last character of the signature has two bits that base64url ignores.
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(check(changed), `character ${at}`).toBe('invalid');
  }
});

test.each([
  '',
  'x',
  '....',
  `constructor${token.slice(2)}`,
  `${token}x`,
  ` ${token}`,
  `${token}\n`,
  token.toLowerCase(),
])('%j is invalid', (text) => {
  expect(check(text)).toBe('invalid');
});

test('an expired token that was changed is invalid, not expired', () => {
  const [id, , ...rest] = token.split('.');
  expect(check([id, '1', ...rest].join('.'))).toBe('invalid');
});

test('the signature of a media URL is none of a token, and the reverse', () => {
  const path = signedUrl.signPath({
    keyId: 'k2',
    secret: keys.keys.k2,
    expiresSeconds: claims.expiresSeconds,
    session: 'session',
    objectKey: `videos/${videoUlid}/a.mp4`,
  });
  const ofUrl = /\.([A-Za-z0-9_-]{43})\//.exec(path)![1]!;
  const ofToken = token.split('.').at(-1)!;
  expect(check(token.replace(ofToken, ofUrl))).toBe('invalid');
  expect(signedUrl.checkSignedPath(path.replace(ofUrl, ofToken), keys.keys, 0)).toMatchObject({ status: 403 });
  expect(signedUrl.checkSignedPath(`/s/${token}/videos/${videoUlid}/a.mp4`, keys.keys, 0).status).not.toBe(200);
});

test('the purpose is part of what is signed', () => {
  const claimed = token.slice(0, token.lastIndexOf('.'));
  const withoutPurpose = createHmac('sha256', Buffer.from(keys.keys.k2, 'base64url'))
    .update(claimed)
    .digest('base64url');
  expect(check(`${claimed}.${withoutPurpose}`)).toBe('invalid');
});
