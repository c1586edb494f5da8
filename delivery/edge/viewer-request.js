// The CloudFront Function of all requests for files. Runtime 2.0 has no destructuring, spread syntax, `for … of`, async
// closures or `await` in arguments. The bundle may have 10,240 bytes.
import cf from 'cloudfront';
import { corsHeaders, preflightHeaders } from '../urls/delivered-headers.ts';
import signedUrl from '../urls/signed-url.js';

const store = cf.kvs();

/**
 * Checks the signature of `/s/…` and the permission of `/p/…`. An accepted request continues with the key of the object
 * as its path, so that all URLs of an object share one entry of the cache. Its query stays for the response function;
 * it is not part of the cache key.
 * @param {import('./cloudfront-events.d.ts').RequestEvent} event
 */
export async function handler(event) {
  const request = event.request;
  if (request.method === 'OPTIONS') {
    return { statusCode: 204, statusDescription: 'No Content', headers: toHeaders(preflightHeaders) };
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Method not allowed.');
  const checked = await check(request.uri);
  if (checked.status === 404) return refuse(404, 'Not found.');
  if (checked.status !== 200) return refuse(checked.status, `Not delivered: ${checked.reason}.`);
  const available = await isAvailable(request.uri, checked.videoUlid);
  if (!available) return refuse(404, 'Not found.');
  request.uri = `/${checked.objectKey}`;
  return request;
}

/** @param {string} uri */
async function check(uri) {
  if (uri.startsWith('/p/')) return signedUrl.checkPublicPath(uri);
  const keyId = signedUrl.keyIdOf(uri);
  /** @type {Record<string, string>} */
  const keys = {};
  if (keyId !== '') {
    const secret = await readKey(keyId);
    if (secret !== undefined) keys[keyId] = secret;
  }
  return signedUrl.checkSignedPath(uri, keys, Math.floor(Date.now() / 1000));
}

/**
 * `get` rejects for a key that the store does not have.
 * @param {string} keyId
 */
async function readKey(keyId) {
  try {
    const secret = await store.get(`key/${keyId}`);
    return secret;
  } catch (_) {
    return undefined;
  }
}

/**
 * A failed read ends the function, and CloudFront answers 503: no file is delivered without this check.
 * @param {string} uri
 * @param {string} videoUlid
 */
async function isAvailable(uri, videoUlid) {
  if (uri.startsWith('/p/')) {
    const isPublic = await store.exists(`public/${videoUlid}`);
    if (!isPublic) return false;
  }
  const isDeleted = await store.exists(`deleted/${videoUlid}`);
  return !isDeleted;
}

/** @type {Record<number, string>} */
const descriptions = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
};

/**
 * @param {number} statusCode
 * @param {string} message
 */
function refuse(statusCode, message) {
  const headers = toHeaders(corsHeaders);
  headers['content-type'] = { value: 'application/json' };
  headers['cache-control'] = { value: 'no-store' };
  if (statusCode === 405) headers.allow = { value: 'GET, HEAD, OPTIONS' };
  return {
    statusCode: statusCode,
    statusDescription: String(descriptions[statusCode]),
    headers: headers,
    body: { encoding: 'text', data: JSON.stringify({ message: message }) },
  };
}

/** @param {Record<string, string>} values */
function toHeaders(values) {
  /** @type {import('./cloudfront-events.d.ts').Headers} */
  const headers = {};
  Object.keys(values).forEach((name) => {
    headers[name] = { value: String(values[name]) };
  });
  return headers;
}
