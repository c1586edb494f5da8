import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { encodePath } from '../../http/uri-encoding.ts';
import type { Principal } from '../../iam/principals.ts';
import { SignatureError } from '../../iam/signature-error.ts';
import type { CredentialScope } from '../../iam/signature-v4.ts';
import {
  type Claim,
  isPresigned,
  readHeaderSignature,
  readQuerySignature,
  requireMatch,
  type Verifier,
} from '../../iam/verify-signature.ts';
import type { Target } from '../protocol/request-target.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { type SignatureLocation, signatureError } from '../protocol/s3-signature-errors.ts';

export const maxSkewMs = 15 * 60 * 1000;

/**
 * The signer of a request, what the signature says about the body, and what is needed to verify the signatures of
 * chunks.
 */
export type Authentication = {
  principal: Principal;
  /** Signed in the URL, which others than the signer may have. */
  presigned: boolean;
  /** The value of x-amz-content-sha256: a hash, UNSIGNED-PAYLOAD or a value that starts with STREAMING-. */
  payloadHash: string;
  seed?: { signature: string; key: KeyObject; amzDate: string; scope: CredentialScope };
};

/**
 * Verifies the signature of a request in its Authorization header or its query string.
 * @throws AccessDenied and similar errors
 */
export function authenticate(request: IncomingMessage, target: Target, verifier: Verifier): Authentication {
  const presigned = isPresigned(target.query);
  if (presigned && request.headers.authorization !== undefined) {
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    );
  }
  const parts = {
    method: request.method ?? '',
    canonicalPath: encodePath(target.path),
    query: target.query,
    rawHeaders: request.rawHeaders,
    headers: request.headers,
  };
  return withS3Errors(presigned ? 'query' : 'header', () => {
    const claim = presigned ? readQuerySignature(parts, verifier) : readHeaderSignature(parts, verifier);
    const payloadHash = presigned ? presignedPayloadHash(request, target) : signedPayloadHash(request);
    requireMatch(parts, claim, payloadHash);
    return { principal: claim.principal, presigned, payloadHash, seed: seedOf(claim) };
  });
}

/** Converts a SignatureError of `check` to the error of S3. @throws S3Error */
export function withS3Errors<Result>(location: SignatureLocation, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof SignatureError ? signatureError(error.problem, location) : error;
  }
}

function signedPayloadHash({ headers }: IncomingMessage): string {
  const payloadHash = headers['x-amz-content-sha256'];
  if (typeof payloadHash === 'string') return payloadHash;
  throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
}

function presignedPayloadHash({ headers }: IncomingMessage, { query }: Target): string {
  const header = headers['x-amz-content-sha256'];
  const inQuery = query.find(([name]) => name === 'X-Amz-Content-Sha256')?.[1];
  return inQuery ?? (typeof header === 'string' ? header : 'UNSIGNED-PAYLOAD');
}

const seedOf = ({ signature, key, amzDate, scope }: Claim) => ({ signature, key, amzDate, scope });
