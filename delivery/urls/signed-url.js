/**
 * Signed delivery paths: `/s/<kid>.<expires>.<session>.<signature>/videos/<ulid>/…`. The signature is in the path, so
 * that relative URLs in playlists keep it, and covers the prefix of the video, so that one signature plays a whole
 * video and nothing else. Public videos have paths without signature: `/p/<ulid>/…`. Runs in Node, in CloudFront
 * Functions and in njs 0.7, the oldest version on proxies: hence plain JavaScript, a default export and no
 * destructuring.
 */
// biome-ignore lint/style/useNodejsImportProtocol: njs does not support the node: prefix
import crypto from 'crypto';

const version = 'v1';
const allowedPath = /^[A-Za-z0-9._/-]+$/;
/** `//`, or a part that is `.` or `..` */
const ambiguousPart = /\/\/|(^|\/)\.{1,2}(\/|$)/;
/**
 * A path that may be delivered, as received, with or without a query. No part of it is empty, `.` or `..`, and nothing
 * is encoded, so that the store, nginx and this code read it alike. nginx uses the same expression in its
 * configuration, hence the group names.
 */
const signedPath =
  /^\/s\/(?<url_token>([a-z0-9]{1,16})\.(?<url_expires>[0-9]{1,12})\.(?<url_session>[A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{43}))\/(?<url_object>videos\/(?<url_video>[0-9A-HJKMNP-TV-Z]{26})(\/(?!\.{1,2}([/?]|$))[A-Za-z0-9._-]+)+\/?)(\?|$)/;

/** A path of a public video, under the same rules. */
const publicPath =
  /^\/p\/(?<public_video>[0-9A-HJKMNP-TV-Z]{26})(?<public_path>(\/(?!\.{1,2}([/?]|$))[A-Za-z0-9._-]+)+\/?)(\?|$)/;

/**
 * The session of a signed DELETE, by which the service has a proxy deny a deleted video. Sessions of viewers are random
 * and longer, so no viewer has such a path.
 */
const denialSession = 'deleted';

/**
 * @param {string} secret base64url
 * @param {{ keyId: string, expires: string, session: string, videoUlid: string }} claims
 */
function signature(secret, claims) {
  const message = [version, claims.keyId, claims.expires, claims.session, `videos/${claims.videoUlid}/`].join('\n');
  return crypto.createHmac('sha256', Buffer.from(secret, 'base64url')).update(message).digest('base64url');
}

/**
 * Compares two signatures in constant time: njs has no timingSafeEqual. It compares four characters at a time, because
 * comparing one at a time takes njs three times as long as making the signature.
 * @param {string} a 43 characters
 * @param {string} b 43 characters
 */
function equal(a, b) {
  const left = Buffer.from(`${a}.`);
  const right = Buffer.from(`${b}.`);
  let difference = 0;
  for (let at = 0; at < 44; at += 4) difference |= left.readUInt32LE(at) ^ right.readUInt32LE(at);
  return difference === 0;
}

/**
 * @param {{ keyId: string, secret: string, expiresSeconds: number, session: string, objectKey: string }} input
 * `secret` is base64url, `expiresSeconds` since 1970, `objectKey` `videos/<ulid>/…`
 * @returns {string} the path to append to a proxy's address
 */
function signPath(input) {
  const match = /^videos\/([0-9A-HJKMNP-TV-Z]{26})\/.+$/.exec(input.objectKey);
  if (!match) throw new Error(`not a deliverable object: ${input.objectKey}`);
  const expires = String(Math.floor(input.expiresSeconds));
  const claims = { keyId: input.keyId, expires, session: input.session, videoUlid: /** @type {string} */ (match[1]) };
  return `/s/${input.keyId}.${expires}.${input.session}.${signature(input.secret, claims)}/${input.objectKey}`;
}

/**
 * @param {string} objectKey `videos/<ulid>/…`
 * @returns {string} the path of the object while its video is public
 */
function publicPathOf(objectKey) {
  const match = /^videos\/([0-9A-HJKMNP-TV-Z]{26}\/.+)$/.exec(objectKey);
  if (!match) throw new Error(`not a deliverable object: ${objectKey}`);
  return `/p/${match[1]}`;
}

/** @type {{ status: 400, reason: string }} */
const malformed = { status: 400, reason: 'malformed path' };

/** @param {string} target */
function isClear(target) {
  const path = String(target.split('?')[0]);
  return allowedPath.test(path) && !ambiguousPart.test(path);
}

/**
 * @param {string} target of the request, as received: not decoded, with or without its query
 * @param {Record<string, string>} keys base64url secrets by key id
 * @param {number} nowSeconds since 1970
 * @returns {{ status: 200, objectKey: string, videoUlid: string, session: string, expiresSeconds: number } |
 *   { status: 400 | 403 | 410, reason: string }}
 * `expiresSeconds` is the last second in which the path is valid
 */
function checkSignedPath(target, keys, nowSeconds) {
  const match = signedPath.exec(target);
  if (!match) return isClear(target) ? { status: 403, reason: 'not signed' } : malformed;
  const claims = {
    keyId: String(match[2]),
    expires: String(match[3]),
    session: String(match[4]),
    videoUlid: String(match[7]),
  };
  // `constructor` and the like are inherited properties of every object.
  const secret = Object.keys(keys).includes(claims.keyId) ? keys[claims.keyId] : undefined;
  if (secret === undefined) return { status: 403, reason: 'unknown key' };
  if (!equal(signature(secret, claims), String(match[5]))) return { status: 403, reason: 'wrong signature' };
  const expiresSeconds = Number(claims.expires);
  if (expiresSeconds < nowSeconds) return { status: 410, reason: 'expired' };
  return {
    status: 200,
    objectKey: String(match[6]),
    videoUlid: claims.videoUlid,
    session: claims.session,
    expiresSeconds: expiresSeconds,
  };
}

/**
 * Checks the form of a public path. Whether the video is public is for the caller to check.
 * @param {string} target of the request, as received
 * @returns {{ status: 200, objectKey: string, videoUlid: string } | { status: 400, reason: string } | { status: 404 }}
 */
function checkPublicPath(target) {
  const match = publicPath.exec(target);
  if (!match) return isClear(target) ? { status: 404 } : malformed;
  const videoUlid = String(match[1]);
  return { status: 200, objectKey: `videos/${videoUlid}${match[2]}`, videoUlid: videoUlid };
}

/**
 * The id of the key that a path claims to be signed with, or an empty string.
 * @param {string} target
 */
function keyIdOf(target) {
  const match = signedPath.exec(target);
  return match ? String(match[2]) : '';
}

export default {
  signPath,
  checkSignedPath,
  publicPathOf,
  checkPublicPath,
  keyIdOf,
  signedPath,
  publicPath,
  denialSession,
};
