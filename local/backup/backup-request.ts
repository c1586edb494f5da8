import type { CredentialScope } from '../../embedded-aws/src/iam/signature-v4.ts';
import {
  canonicalRequest,
  scopePath,
  sha256Hex,
  sign,
  signingKey,
  stringToSign,
} from '../../embedded-aws/src/iam/signature-v4.ts';
import type { OperatorAccess } from '../server/operator-file.ts';
import { backupSigningName, backupTarget } from '../snapshot/backup-service.ts';

/** The headers of the request for a backup, signed as the operator. */
export function backupHeaders({ region, controlUrl, credentials }: OperatorAccess): Record<string, string> {
  const amzDate = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const headers = {
    host: new URL(controlUrl).host,
    'x-amz-date': amzDate,
    'x-amz-target': `${backupTarget}.CreateBackup`,
  };
  const signedHeaders = Object.keys(headers);
  const scope: CredentialScope = {
    accessKeyId: credentials.accessKeyId,
    date: amzDate.slice(0, 8),
    region,
    service: backupSigningName,
    terminator: 'aws4_request',
  };
  const canonical = canonicalRequest({
    method: 'POST',
    canonicalPath: '/',
    query: [],
    rawHeaders: Object.entries(headers).flat(),
    signedHeaders,
    payloadHash: sha256Hex(''),
  });
  const signature = sign(signingKey(credentials.secretAccessKey, scope), stringToSign(amzDate, scope, canonical));
  const credential = `${scope.accessKeyId}/${scopePath(scope)}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
  };
}
