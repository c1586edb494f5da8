import { devNull } from 'node:os';
import type { Principal } from '../iam/principals.ts';

type Endpoints = { region: string; storeUrl: string; controlUrl: string };

/** What makes an AWS client talk to the embedded services as one principal, whatever the user's own AWS settings say. */
export const clientEnvironment = (
  { region, storeUrl, controlUrl }: Endpoints,
  { credentials }: Principal,
): Record<string, string> => ({
  AWS_ENDPOINT_URL: controlUrl,
  AWS_ENDPOINT_URL_S3: storeUrl,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

/** What a function puts on the servers that it sets up as proxies: their own credentials, not those of the function. */
export const nodeEnvironment = ({ credentials }: Principal): Record<string, string> => ({
  AWS_NODE_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_NODE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});
