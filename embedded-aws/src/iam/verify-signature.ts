import type { KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from './principals.ts';
import type { QueryPairs } from './query-pairs.ts';
import { SignatureError } from './signature-error.ts';
import {
  type CredentialScope,
  canonicalRequest,
  equalSignatures,
  parseAmzDate,
  parseScope,
  sign,
  signingKey,
  stringToSign,
} from './signature-v4.ts';

const algorithm = 'AWS4-HMAC-SHA256';
const maxExpirySeconds = 7 * 24 * 3600;

/** What signatures are verified against. `service` is the service name in the credential scope. */
export type Verifier = {
  region: string;
  service: string;
  /** The expiry of temporary credentials is checked by the verifier. */
  find: (accessKeyId: string, sessionToken?: string) => Principal | undefined;
  now: () => Date;
  maxSkewMs: number;
};

/** The parts of a request that a signature covers, except the body. */
export type SignedParts = {
  method: string;
  canonicalPath: string;
  query: QueryPairs;
  rawHeaders: readonly string[];
  headers: IncomingHttpHeaders;
};

/** A signature by a known key with a valid scope and time. `requireMatch` verifies that it belongs to the request. */
export type Claim = {
  principal: Principal;
  scope: CredentialScope;
  key: KeyObject;
  amzDate: string;
  signature: string;
  signedHeaders: string[];
  unsignedQuery?: string;
};

type Signer = { credential: string; sessionToken: string | undefined; amzDate: string };

/** The principal of a credential and its signing key. @throws SignatureError */
export function findSigner(
  { credential, sessionToken, amzDate }: Signer,
  { region, service, find, now }: Pick<Verifier, 'region' | 'service' | 'find' | 'now'>,
): Pick<Claim, 'principal' | 'scope' | 'key'> {
  const scope = parseScope(credential);
  if (!scope) throw new SignatureError({ kind: 'scope form', credential });
  if (scope.region !== region) {
    throw new SignatureError({ kind: 'scope region', region: scope.region, expected: region });
  }
  if (scope.service !== service) {
    throw new SignatureError({ kind: 'scope service', service: scope.service, expected: service });
  }
  if (scope.terminator !== 'aws4_request') {
    throw new SignatureError({ kind: 'scope terminator', terminator: scope.terminator });
  }
  if (scope.date.length !== 8 || !amzDate.startsWith(scope.date)) {
    throw new SignatureError({ kind: 'scope date', date: scope.date, amzDate });
  }
  const principal = requirePrincipal(scope.accessKeyId, sessionToken, { find, now });
  return { principal, scope, key: signingKey(principal.credentials.secretAccessKey, scope) };
}

/** The principal of an access key, whose session token belongs to it and has not expired. @throws SignatureError */
export function requirePrincipal(
  accessKeyId: string,
  sessionToken: string | undefined,
  { find, now }: Pick<Verifier, 'find' | 'now'>,
): Principal {
  const principal = find(accessKeyId, sessionToken);
  if (!principal) {
    throw new SignatureError(
      sessionToken === undefined ? { kind: 'unknown key', accessKeyId } : { kind: 'invalid token' },
    );
  }
  const { expiresAtMs = Number.POSITIVE_INFINITY } = principal.credentials;
  if (now().getTime() >= expiresAtMs) throw new SignatureError({ kind: 'expired token' });
  return principal;
}

/** The session token in the headers of a request. */
export const sessionTokenIn = (headers: IncomingHttpHeaders): string | undefined =>
  headers['x-amz-security-token']?.toString();

/** Reads a signature from the Authorization header. @throws SignatureError */
export function readHeaderSignature({ headers }: SignedParts, verifier: Verifier): Claim {
  const { credential, amzDate, date, signature, signedHeaders } = readAuthorization(headers, algorithm);
  const signer = findSigner({ credential, sessionToken: sessionTokenIn(headers), amzDate }, verifier);
  requireTime(amzDate, date, verifier);
  requireSignedHeaders(headers, signedHeaders);
  return { ...signer, amzDate, signature, signedHeaders };
}

/** The fields of an Authorization header with this algorithm. @throws SignatureError */
export function readAuthorization(headers: IncomingHttpHeaders, expectedAlgorithm: string) {
  const { authorization } = headers;
  if (authorization === undefined) throw new SignatureError({ kind: 'missing' });
  const space = authorization.indexOf(' ');
  const given = space < 0 ? authorization : authorization.slice(0, space);
  if (given !== expectedAlgorithm) throw new SignatureError({ kind: 'algorithm', algorithm: given });
  const fields = authorizationFields(authorization.slice(space + 1));
  const [credential, names, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) => fields.get(name));
  const amzDate = headers['x-amz-date'];
  if (!credential || !names || !signature || typeof amzDate !== 'string') {
    const present = { Credential: credential, SignedHeaders: names, Signature: signature, 'X-Amz-Date': amzDate };
    const missing = Object.entries(present).flatMap(([name, value]) => (value ? [] : [name]));
    throw new SignatureError({ kind: 'incomplete', missing });
  }
  const date = parseAmzDate(amzDate);
  if (!date) throw new SignatureError({ kind: 'date', given: amzDate });
  return { credential, amzDate, date, signature, signedHeaders: names.split(';') };
}

/** @throws SignatureError for a time that differs too much from the server's */
export function requireTime(amzDate: string, date: Date, verifier: Pick<Verifier, 'now' | 'maxSkewMs'>): void {
  const [now, { maxSkewMs }] = [verifier.now(), verifier];
  if (Math.abs(now.getTime() - date.getTime()) <= maxSkewMs) return;
  throw new SignatureError({ kind: 'skewed', amzDate, now, maxSkewMs });
}

function authorizationFields(text: string): Map<string, string> {
  return new Map(
    text
      .replaceAll(' ', '')
      .split(',')
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)] as const),
  );
}

/** Whether the query string contains a signature, even an incomplete one. */
export const isPresigned = (query: QueryPairs): boolean =>
  query.some(([name]) => /^x-amz-(algorithm|signature)$/i.test(name));

/** Reads the signature of a presigned URL. @throws SignatureError */
export function readQuerySignature({ headers, query }: SignedParts, verifier: Verifier): Claim {
  const given = (name: string): string => {
    const values = query.filter(([key]) => key === `X-Amz-${name}`);
    if (values.length === 1) return values[0]![1];
    throw new SignatureError({ kind: 'incomplete', missing: [`X-Amz-${name}`] });
  };
  const credential = given('Credential');
  const [amzDate, expires] = [given('Date'), given('Expires')];
  const [names, signature] = [given('SignedHeaders'), given('Signature')];
  if (given('Algorithm') !== algorithm) {
    throw new SignatureError({ kind: 'algorithm', algorithm: given('Algorithm') });
  }
  const date = parseAmzDate(amzDate);
  if (!date) throw new SignatureError({ kind: 'date', given: amzDate });
  if (!/^\d+$/.test(expires)) throw new SignatureError({ kind: 'expiry form' });
  if (Number(expires) > maxExpirySeconds) throw new SignatureError({ kind: 'expiry too long' });

  const sessionToken = query.find(([key]) => key === 'X-Amz-Security-Token')?.[1];
  const signer = findSigner({ credential, sessionToken, amzDate }, verifier);
  const [now, { maxSkewMs }] = [verifier.now(), verifier];
  const expiry = new Date(date.getTime() + Number(expires) * 1000);
  if (date.getTime() - now.getTime() > maxSkewMs) {
    throw new SignatureError({ kind: 'not yet valid', amzDate, now, maxSkewMs });
  }
  if (now >= expiry) throw new SignatureError({ kind: 'expired', expires, expiry, now });
  const signedHeaders = names.split(';');
  requireSignedHeaders(headers, signedHeaders);
  return { ...signer, amzDate, signature, signedHeaders, unsignedQuery: 'X-Amz-Signature' };
}

/**
 * Headers that the service evaluates must be signed, because otherwise anyone who sees the request could add them.
 * @throws SignatureError
 */
export function requireSignedHeaders(headers: IncomingHttpHeaders, signedHeaders: string[]): void {
  const acted = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  const names = acted.filter((name) => !signedHeaders.includes(name));
  if (names.length > 0) throw new SignatureError({ kind: 'unsigned headers', names });
}

/** @throws SignatureError when the signature does not belong to this request with a body of this hash */
export function requireMatch(parts: SignedParts, claim: Claim, payloadHash: string): void {
  const { signedHeaders, unsignedQuery, amzDate, scope, key, signature } = claim;
  const canonical = canonicalRequest({ ...parts, signedHeaders, ...(unsignedQuery && { unsignedQuery }), payloadHash });
  const text = stringToSign(amzDate, scope, canonical);
  if (equalSignatures(sign(key, text), signature)) return;
  const { accessKeyId } = scope;
  throw new SignatureError({
    kind: 'mismatch',
    accessKeyId,
    signature,
    stringToSign: text,
    canonicalRequest: canonical,
  });
}
