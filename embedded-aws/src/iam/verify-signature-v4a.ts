import type { KeyObject } from 'node:crypto';
import type { Principal } from './principals.ts';
import { SignatureError } from './signature-error.ts';
import { canonicalRequest, sha256Hex } from './signature-v4.ts';
import { asymmetricAlgorithm, asymmetricKey, verifyAsymmetric } from './signature-v4a.ts';
import {
  readAuthorization,
  requirePrincipal,
  requireSignedHeaders,
  requireTime,
  type SignedParts,
  sessionTokenIn,
  type Verifier,
} from './verify-signature.ts';

/** A signature by a known key with a valid scope and time. `requireAsymmetricMatch` compares it with the request. */
export type AsymmetricClaim = {
  principal: Principal;
  publicKey: KeyObject;
  accessKeyId: string;
  /** `<date>/<service>/aws4_request`: a signature for all regions has no region in its scope. */
  scope: string;
  amzDate: string;
  signature: string;
  signedHeaders: string[];
};

/** Reads a SigV4A signature from the Authorization header. @throws SignatureError */
export function readAsymmetricSignature({ headers }: SignedParts, verifier: Verifier): AsymmetricClaim {
  const { credential, amzDate, date, signature, signedHeaders } = readAuthorization(headers, asymmetricAlgorithm);
  const parts = credential.split('/');
  if (parts.length < 4) throw new SignatureError({ kind: 'scope form', credential });
  const [day, service, terminator] = parts.slice(-3) as [string, string, string];
  const accessKeyId = parts.slice(0, -3).join('/');
  if (service !== verifier.service) {
    throw new SignatureError({ kind: 'scope service', service, expected: verifier.service });
  }
  if (terminator !== 'aws4_request') throw new SignatureError({ kind: 'scope terminator', terminator });
  if (day.length !== 8 || !amzDate.startsWith(day)) {
    throw new SignatureError({ kind: 'scope date', date: day, amzDate });
  }
  const regions = String(headers['x-amz-region-set'] ?? '').split(',');
  if (!regions.includes('*') && !regions.includes(verifier.region)) {
    throw new SignatureError({ kind: 'scope region', region: regions.join(','), expected: verifier.region });
  }
  const principal = requirePrincipal(accessKeyId, sessionTokenIn(headers), verifier);
  requireTime(amzDate, date, verifier);
  requireSignedHeaders(headers, signedHeaders);
  const publicKey = asymmetricKey({ ...principal.credentials, accessKeyId });
  const scope = [day, service, terminator].join('/');
  return { principal, publicKey, accessKeyId, scope, amzDate, signature, signedHeaders };
}

/** @throws SignatureError when the signature does not belong to this request with a body of this hash */
export function requireAsymmetricMatch(parts: SignedParts, claim: AsymmetricClaim, payloadHash: string): void {
  const { publicKey, accessKeyId, scope, amzDate, signature, signedHeaders } = claim;
  const canonical = canonicalRequest({ ...parts, signedHeaders, payloadHash });
  const stringToSign = [asymmetricAlgorithm, amzDate, scope, sha256Hex(canonical)].join('\n');
  if (verifyAsymmetric(publicKey, stringToSign, signature)) return;
  throw new SignatureError({ kind: 'mismatch', accessKeyId, signature, stringToSign, canonicalRequest: canonical });
}
