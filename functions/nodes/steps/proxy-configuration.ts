import * as z from 'zod';
import { proxyFiles } from '../../../delivery/nginx/proxy-files.ts';
import { socketsInContainer } from '../../../delivery/nginx/proxy-settings.ts';
import { readEnvironment } from '../../../shared/environment.ts';
import { readParameter } from '../../aws/parameters.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { StepFailed } from '../ssh/node-errors.ts';

const signingKeys = z.object({ keys: z.record(z.string(), z.string()) });

/** The configuration files of a proxy. */
export async function proxyConfiguration({ ulid, hostname, cdnMode }: Node): Promise<Record<string, string>> {
  const stored = await readParameter('signing-keys', { fresh: true });
  if (stored === undefined || hostname === null) {
    throw new StepFailed('VALUES_INVALID', 'The stage has no signing keys: invoke the setup function first.');
  }
  return proxyFiles({
    ulid,
    hostname,
    cdnMode,
    bucket: readEnvironment('BUCKET_NAME'),
    region: readEnvironment('STORE_REGION'),
    keysParameter: readEnvironment('SIGNING_KEYS_PARAMETER'),
    keys: signingKeys.parse(JSON.parse(stored)).keys,
    ...embeddedStore(),
  });
}

/**
 * On one machine: the addresses of the embedded services, and credentials for proxies. On AWS the server gets
 * credentials from the SSM agent.
 */
function embeddedStore() {
  const endpoint = readEnvironment('AWS_ENDPOINT_URL_S3');
  if (endpoint === undefined) return {};
  return {
    endpoint,
    parametersEndpoint: readEnvironment('AWS_ENDPOINT_URL'),
    ...(readEnvironment('SERVICE_SOCKETS') !== undefined && { sockets: socketsInContainer }),
    credentials: {
      accessKeyId: readEnvironment('AWS_NODE_ACCESS_KEY_ID'),
      secretAccessKey: readEnvironment('AWS_NODE_SECRET_ACCESS_KEY'),
    },
  };
}
