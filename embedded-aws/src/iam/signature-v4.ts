import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { encodeUri } from '../http/uri-encoding.ts';
import { createBoundedCache } from './bounded-cache.ts';
import type { QueryPairs } from './query-pairs.ts';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

/** `date` is YYYYMMDD. */
export type CredentialScope = {
  accessKeyId: string;
  date: string;
  region: string;
  service: string;
  terminator: string;
};

export type SignedRequest = {
  method: string;
  /** The encoded path that is signed: S3 encodes a path once, all other services encode the received path again. */
  canonicalPath: string;
  query: QueryPairs;
  /** As received, names and values alternating. */
  rawHeaders: readonly string[];
  signedHeaders: readonly string[];
  /** The parameter that contains the signature, which the canonical query string omits. */
  unsignedQuery?: string;
  payloadHash: string;
};

export function sha256Hex(data: string | Buffer): string {
  return hash('sha256', data);
}

/**
 * Parses `AKID/20261121/region/s3/aws4_request`. Undefined with fewer than five parts. The access key id may contain
 * slashes.
 */
export function parseScope(credential: string): CredentialScope | undefined {
  const parts = credential.split('/');
  if (parts.length < 5) return undefined;
  const [date, region, service, terminator] = parts.slice(-4) as [string, string, string, string];
  return { accessKeyId: parts.slice(0, -4).join('/'), date, region, service, terminator };
}

export function scopePath(scope: CredentialScope): string {
  return `${scope.date}/${scope.region}/${scope.service}/${scope.terminator}`;
}

/** Parses `20261121T101112Z`. Undefined for other text. */
export function parseAmzDate(text: string): Date | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * A signing key is valid for a day, and deriving it takes four times as long as using it. The size is enough for each
 * function and service. With a KeyObject, Node creates an HMAC in a sixth of the time that it takes with a Buffer.
 */
const recentKeys = createBoundedCache<KeyObject>(256);

export function signingKey(secretAccessKey: string, scope: CredentialScope): KeyObject {
  const parts = [scope.date, scope.region, scope.service, scope.terminator];
  const name = [secretAccessKey, ...parts].join('\n');
  const known = recentKeys.get(name);
  if (known) return known;
  const secret = Buffer.from(`AWS4${secretAccessKey}`, 'utf8');
  const key = createSecretKey(
    parts.reduce<Buffer>((made, part) => createHmac('sha256', made).update(part, 'utf8').digest(), secret),
  );
  recentKeys.set(name, key);
  return key;
}

function canonicalQuery({ query, unsignedQuery }: SignedRequest): string {
  return query
    .filter(([name]) => name !== unsignedQuery)
    .map(([name, value]) => [encodeUri(name), encodeUri(value)] as const)
    .sort(([a, av], [b, bv]) => (a === b ? (av < bv ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const beyondAscii = /[\u0080-\uffff]/;

/** Node decodes headers as Latin-1, but clients sign UTF-8. */
const decoded = (value: string): string =>
  beyondAscii.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;

/** The signed value of each header, by its name in lower case. */
function headerValues(rawHeaders: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = decoded(rawHeaders[i + 1]!)
      .trim()
      .replace(/ +/g, ' ');
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return values;
}

export function canonicalRequest(request: SignedRequest): string {
  const values = headerValues(request.rawHeaders);
  return [
    request.method,
    request.canonicalPath,
    canonicalQuery(request),
    ...request.signedHeaders.map((name) => `${name}:${values.get(name) ?? ''}`),
    '',
    request.signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n');
}

export function stringToSign(amzDate: string, scope: CredentialScope, canonical: string): string {
  return ['AWS4-HMAC-SHA256', amzDate, scopePath(scope), sha256Hex(canonical)].join('\n');
}

export function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Compares in constant time. */
export function equalSignatures(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
