import type { Policy } from '../../iam/policy.ts';
import type { S3 } from '../../s3/s3-server.ts';
import type { OriginDefinition } from '../../template/distributions/read-distributions.ts';
import type { Origin, OriginResponse } from './origin.ts';

export type S3OriginOptions = {
  read: S3['read'];
  bucket: string;
  origin: OriginDefinition;
  /** What the policy of the bucket allows `cloudfront.amazonaws.com`. */
  policy: Policy;
  distributionArn: string;
  accountId: string;
};

/**
 * A bucket as an origin. With origin access control, CloudFront signs its requests as `cloudfront.amazonaws.com` for
 * the distribution; without it, requests are anonymous, which no bucket allows.
 */
export function createS3Origin({ read, bucket, origin, policy, distributionArn, accountId }: S3OriginOptions): Origin {
  const context = {
    'aws:sourcearn': distributionArn,
    'aws:sourceaccount': accountId,
    'aws:securetransport': 'true',
  };
  const allows = (action: string, resource: string): boolean => origin.signs && policy({ action, resource, context });
  return {
    hostName: origin.domainName,
    hasRanges: true,
    async fetch({ method, path, query }, { range, headersOnly = method === 'HEAD', headers = {} } = {}) {
      if (method !== 'GET' && method !== 'HEAD') return refusal(403, 'AccessDenied', 'Access Denied');
      // S3 would read parameters as operations or overrides, which this origin does not have.
      if (query !== '') return refusal(501, 'NotImplemented', 'A query implies functionality that is not implemented');
      const key = decodedKey(origin.path + path);
      if (key === undefined) return refusal(400, 'InvalidURI', "Couldn't parse the specified URI.");
      const rangeHeader = range && { range: `bytes=${range.start}-${range.end - 1}` };
      const result = await read({ bucket, key, headersOnly, headers: { ...headers, ...rangeHeader }, allows });
      return { ...result, headersOnly };
    },
  };
}

function decodedKey(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return undefined;
  }
}

function refusal(status: number, code: string, message: string): OriginResponse {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const body = Buffer.from(text);
  const headers = { 'content-type': 'application/xml', server: 'AmazonS3' };
  return { status, headers, chunks: [body], sizeBytes: body.length };
}
