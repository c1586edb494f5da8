import type { SignatureProblem } from '../../iam/signature-error.ts';
import { S3Error, type S3ErrorCode } from './s3-errors.ts';

/** The part of a request that contains the signature. S3 has different errors for each. */
export type SignatureLocation = 'header' | 'query' | 'form';

const malformed: Record<SignatureLocation, S3ErrorCode> = {
  header: 'AuthorizationHeaderMalformed',
  query: 'AuthorizationQueryParametersError',
  form: 'InvalidArgument',
};

const incompleteQuery =
  'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.';

/** The error response of S3 for an invalid signature. */
export function signatureError(problem: SignatureProblem, location: SignatureLocation): S3Error {
  const wrong = (message?: string, details = {}) => new S3Error(malformed[location], message, { details });
  switch (problem.kind) {
    case 'missing':
      return new S3Error('AccessDenied');
    case 'algorithm':
      return location === 'header'
        ? new S3Error(
            'InvalidRequest',
            'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
          )
        : wrong('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
    case 'incomplete':
      if (location === 'query') return wrong(incompleteQuery);
      return problem.missing.join() === 'X-Amz-Date' ? invalidDate(location) : wrong();
    case 'date':
      return invalidDate(location);
    case 'scope form':
      return wrong('Error parsing the credential; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".');
    case 'scope region':
      return wrong(
        `The authorization is malformed; the region '${problem.region}' is wrong; expecting '${problem.expected}'`,
        { Region: problem.expected },
      );
    case 'scope service':
      return wrong(`Invalid service "${problem.service}"; expecting "${problem.expected}".`);
    case 'scope terminator':
      return wrong('The scope must end in "aws4_request".');
    case 'scope date':
      return wrong(
        `Invalid credential date "${problem.date}". This date is not the same as X-Amz-Date: "${problem.amzDate}".`,
      );
    case 'unknown key':
      return new S3Error('InvalidAccessKeyId', undefined, { details: { AWSAccessKeyId: problem.accessKeyId } });
    case 'invalid token':
      return new S3Error('InvalidToken');
    case 'expired token':
      return new S3Error('ExpiredToken');
    case 'skewed':
      return new S3Error('RequestTimeTooSkewed', undefined, {
        details: {
          RequestTime: problem.amzDate,
          ServerTime: problem.now.toISOString(),
          MaxAllowedSkewMilliseconds: problem.maxSkewMs,
        },
      });
    case 'not yet valid':
      return new S3Error('AccessDenied', 'Request is not valid yet', {
        details: { ServerTime: problem.now.toISOString() },
      });
    case 'expiry form':
      return wrong('X-Amz-Expires should be a number');
    case 'expiry too long':
      return wrong(
        'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
      );
    case 'expired':
      return new S3Error('AccessDenied', 'Request has expired', {
        details: {
          'X-Amz-Expires': problem.expires,
          Expires: problem.expiry.toISOString(),
          ServerTime: problem.now.toISOString(),
        },
      });
    case 'unsigned headers':
      return new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
        details: { HeadersNotSigned: problem.names.join(', ') },
      });
    case 'mismatch':
      // S3 returns what it signed, so that the author of a client can compare.
      return new S3Error('SignatureDoesNotMatch', undefined, {
        details: {
          AWSAccessKeyId: problem.accessKeyId,
          StringToSign: problem.stringToSign,
          SignatureProvided: problem.signature,
          CanonicalRequest: problem.canonicalRequest,
        },
      });
  }
}

const invalidDate = (location: SignatureLocation): S3Error =>
  location === 'header'
    ? new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
    : new S3Error(malformed[location], "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
