import type { Credentials } from './principals.ts';
import {
  type CredentialScope,
  canonicalRequest,
  scopePath,
  sha256Hex,
  sign,
  signingKey,
  stringToSign,
} from './signature-v4.ts';

type Request = {
  url: string;
  service: string;
  region: string;
  credentials: Credentials;
  headers?: Record<string, string>;
};

/** The headers of a POST request without a path and a body, signed with Signature Version 4. */
export function signedHeaders({ url, service, region, credentials, headers: more }: Request): Record<string, string> {
  const amzDate = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const headers = { host: new URL(url).host, 'x-amz-date': amzDate, ...more };
  const names = Object.keys(headers);
  const { accessKeyId, secretAccessKey } = credentials;
  const scope: CredentialScope = {
    accessKeyId,
    date: amzDate.slice(0, 8),
    region,
    service,
    terminator: 'aws4_request',
  };
  const canonical = canonicalRequest({
    method: 'POST',
    canonicalPath: '/',
    query: [],
    rawHeaders: Object.entries(headers).flat(),
    signedHeaders: names,
    payloadHash: sha256Hex(''),
  });
  const signature = sign(signingKey(secretAccessKey, scope), stringToSign(amzDate, scope, canonical));
  const credential = `${accessKeyId}/${scopePath(scope)}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
