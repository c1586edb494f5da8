import type { IncomingMessage } from 'node:http';
import { S3Error, type S3ErrorCode } from './errors.ts';
import type { S3Options } from './settings.ts';
import { type CredentialScope, parseAmzDate, parseScope, requireSignature, signingKey } from './sigv4.ts';
import type { Target } from './target.ts';

const longestSkewMs = 15 * 60 * 1000;
const longestExpirySeconds = 7 * 24 * 3600;

/** What a signature says about the body, and what is needed to check the signatures of its chunks. */
export type Authentication = {
  /** The value of x-amz-content-sha256: a hash, UNSIGNED-PAYLOAD or one of STREAMING-… */
  payloadHash: string;
  seed?: { signature: string; key: Buffer; amzDate: string; scope: CredentialScope };
};

export type Authenticator = Pick<S3Options, 'credentials' | 'region'> & { now: () => Date };

/** The key that signs for `credential`. @throws `malformed` for a wrong scope, InvalidAccessKeyId for an unknown key. */
export function keyFor(
  credential: string,
  amzDate: string,
  { credentials, region }: Authenticator,
  malformed: S3ErrorCode,
): { scope: CredentialScope; key: Buffer } {
  const scope = parseScope(credential);
  if (!scope) {
    throw new S3Error(
      malformed,
      'Error parsing the credential; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  if (scope.region !== region) {
    const message = `The authorization is malformed; the region '${scope.region}' is wrong; expecting '${region}'`;
    throw new S3Error(malformed, message, { details: { Region: region } });
  }
  if (scope.service !== 's3') throw new S3Error(malformed, `Invalid service "${scope.service}"; expecting "s3".`);
  if (scope.terminator !== 'aws4_request') throw new S3Error(malformed, 'The scope must end in "aws4_request".');
  if (!amzDate.startsWith(scope.date)) {
    throw new S3Error(
      malformed,
      `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${amzDate}".`,
    );
  }
  const known = credentials(scope.accessKeyId);
  if (!known) throw new S3Error('InvalidAccessKeyId', undefined, { details: { AWSAccessKeyId: scope.accessKeyId } });
  return { scope, key: signingKey(known.secretAccessKey, scope) };
}

/** A header that S3 acts on must be signed, or whoever holds the URL could add it. @throws AccessDenied */
function requireSigned(request: IncomingMessage, signedHeaders: string[]): void {
  const missing = Object.keys(request.headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (missing.length === 0) return;
  throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    details: { HeadersNotSigned: missing.join(', ') },
  });
}

function byHeader(request: IncomingMessage, target: Target, authenticator: Authenticator): Authentication {
  const authorization = request.headers.authorization ?? '';
  const [algorithm = '', ...rest] = authorization.split(' ');
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    const message = 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';
    throw new S3Error('InvalidRequest', message);
  }
  const fields = new Map(
    rest
      .join('')
      .split(',')
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)] as const),
  );
  const [credential, names, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) => fields.get(name));
  if (!credential || !names || !signature) throw new S3Error('AuthorizationHeaderMalformed');

  const dateHeader = request.headers['x-amz-date'];
  const amzDate = typeof dateHeader === 'string' ? dateHeader : '';
  const date = parseAmzDate(amzDate);
  if (!date) throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  const payloadHash = request.headers['x-amz-content-sha256'];
  if (typeof payloadHash !== 'string') {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }

  const { scope, key } = keyFor(credential, amzDate, authenticator, 'AuthorizationHeaderMalformed');
  const now = authenticator.now();
  if (Math.abs(now.getTime() - date.getTime()) > longestSkewMs) {
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      details: { RequestTime: amzDate, ServerTime: now.toISOString(), MaxAllowedSkewMilliseconds: longestSkewMs },
    });
  }
  const signedHeaders = names.split(';');
  const method = request.method ?? '';
  requireSignature(
    { method, target, rawHeaders: request.rawHeaders, signedHeaders, payloadHash },
    { key, amzDate, scope, signature },
  );
  requireSigned(request, signedHeaders);
  return { payloadHash, seed: { signature, key, amzDate, scope } };
}

function byQuery(request: IncomingMessage, target: Target, authenticator: Authenticator): Authentication {
  const wrong = (message: string) => new S3Error('AuthorizationQueryParametersError', message);
  const [credential, amzDate, expires, names, signature] = [
    'Credential',
    'Date',
    'Expires',
    'SignedHeaders',
    'Signature',
  ].map((name) => {
    const found = target.query.filter(([key]) => key === `X-Amz-${name}`);
    if (found.length === 1) return found[0]![1];
    throw wrong(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  }) as [string, string, string, string, string];
  if (queryValue(target, 'X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') {
    throw wrong('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  }
  const date = parseAmzDate(amzDate);
  if (!date) throw wrong("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  if (!/^\d+$/.test(expires)) throw wrong('X-Amz-Expires should be a number');
  if (Number(expires) > longestExpirySeconds) {
    throw wrong(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    );
  }

  const { scope, key } = keyFor(credential, amzDate, authenticator, 'AuthorizationQueryParametersError');
  const now = authenticator.now();
  const expiry = new Date(date.getTime() + Number(expires) * 1000);
  if (date.getTime() - now.getTime() > longestSkewMs) {
    throw new S3Error('AccessDenied', 'Request is not valid yet', { details: { ServerTime: now.toISOString() } });
  }
  if (now >= expiry) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      details: { 'X-Amz-Expires': expires, Expires: expiry.toISOString(), ServerTime: now.toISOString() },
    });
  }
  const signedHeaders = names.split(';');
  const payloadHeader = request.headers['x-amz-content-sha256'];
  const payloadHash =
    queryValue(target, 'X-Amz-Content-Sha256') ??
    (typeof payloadHeader === 'string' ? payloadHeader : 'UNSIGNED-PAYLOAD');
  const method = request.method ?? '';
  requireSignature(
    { method, target, rawHeaders: request.rawHeaders, signedHeaders, unsignedQuery: 'X-Amz-Signature', payloadHash },
    { key, amzDate, scope, signature },
  );
  requireSigned(request, signedHeaders);
  return { payloadHash, seed: { signature, key, amzDate, scope } };
}

function queryValue(target: Target, name: string): string | undefined {
  return target.query.find(([key]) => key === name)?.[1];
}

/** Checks the signature of a request, in its Authorization header or its query. @throws AccessDenied and its relations */
export function authenticate(request: IncomingMessage, target: Target, authenticator: Authenticator): Authentication {
  const presigned = target.query.some(([name]) => /^x-amz-(algorithm|signature)$/i.test(name));
  if (request.headers.authorization !== undefined) {
    if (presigned) {
      throw new S3Error(
        'InvalidArgument',
        'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      );
    }
    return byHeader(request, target, authenticator);
  }
  if (presigned) return byQuery(request, target, authenticator);
  throw new S3Error('AccessDenied');
}
