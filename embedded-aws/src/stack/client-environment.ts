import { devNull } from 'node:os';
import type { Credentials, Principal } from '../iam/principals.ts';

type Endpoints = { region: string; storeUrl: string; controlUrl: string };

/**
 * Variables that make AWS clients call the embedded services as one principal. The user's own AWS configuration files
 * are ignored.
 */
export const clientEnvironment = (
  { region, storeUrl, controlUrl }: Endpoints,
  credentials: Credentials,
): Record<string, string> => ({
  AWS_ENDPOINT_URL: controlUrl,
  AWS_ENDPOINT_URL_S3: storeUrl,
  // Its client puts the account before the host, which must be a name then.
  AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: controlUrl.replace('127.0.0.1', 'localhost'),
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  ...(credentials.sessionToken !== undefined && { AWS_SESSION_TOKEN: credentials.sessionToken }),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

/**
 * Credentials that a function installs on the servers that it registers. They are not the credentials of the function.
 * They last, because no agent on the servers renews them.
 */
export const managedNodeEnvironment = ({ credentials }: Principal): Record<string, string> => ({
  AWS_NODE_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_NODE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});
