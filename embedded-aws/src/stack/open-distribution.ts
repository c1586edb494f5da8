import { join } from 'node:path';
import { createDistribution, type RequestRecord } from '../cloudfront/distribution-server.ts';
import type { KeyValueReader } from '../cloudfront/functions/runtime-modules.ts';
import { type KeyValueStore, openKeyValueStore } from '../cloudfront/key-value-store/key-value-store.ts';
import { createHttpApiOrigin } from '../cloudfront/origins/http-api-origin.ts';
import type { Origin } from '../cloudfront/origins/origin.ts';
import { createS3Origin } from '../cloudfront/origins/s3-origin.ts';
import type { RequestHandler } from '../http/http-server.ts';
import { isLogged } from '../http/log.ts';
import type { S3 } from '../s3/s3-server.ts';
import {
  type OriginDefinition,
  readDistributions,
  readKeyValueStores,
} from '../template/distributions/read-distributions.ts';
import { readBucketPolicies } from '../template/read-bucket-policies.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { openAccessLog } from './open-access-log.ts';
import type { StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

export async function openKeyValueStores({ options, template, shutdown }: StackContext): Promise<KeyValueStore[]> {
  const folder = join(options.dataFolder, 'key-value-stores');
  const { maxPropagationMs = 0 } = options.chaos?.cloudfront ?? {};
  const propagationDelayMs = () => Math.random() * maxPropagationMs;
  const arns = readKeyValueStores(template);
  const stores = await Promise.all(arns.map((arn) => openKeyValueStore({ arn, folder, propagationDelayMs })));
  for (const store of stores) shutdown.onClose(store.close);
  return stores;
}

type Parts = {
  principals: StackPrincipals;
  stores: readonly KeyValueStore[];
  s3: Pick<S3, 'read'>;
  httpApi: RequestHandler;
};

/** The distribution of the template. Undefined if it has none. */
export async function openDistribution(stack: StackContext, parts: Parts): Promise<RequestHandler | undefined> {
  const { options, template, shutdown } = stack;
  const { meter } = options;
  const [definition, another] = readDistributions(template);
  if (another) throw new Error('The embedded CloudFront supports one distribution.');
  if (!definition) return undefined;
  const onRequest = await openAccessLog(stack, parts.principals, definition);
  const distribution = createDistribution({
    definition,
    originOf: createOrigins(stack, parts, definition.arn),
    keyValueReader: (arn): KeyValueReader => {
      const store = parts.stores.find((one) => one.arn === arn);
      if (!store) throw new Error(`The template has no key-value store ${arn}.`);
      const { get, meta } = store.reader;
      if (!meter) return store.reader;
      return {
        meta,
        get(key) {
          meter('edge key value reads', 1, 'get');
          return get(key);
        },
      };
    },
    clientAddress: options.clientAddress,
    meter,
    onRequest: (record) => {
      onRequest?.(record);
      if (isLogged('INFO', options.logLevel)) options.writeLine('edge', accessLine(record));
    },
    log: (line) => {
      if (!shutdown.started && isLogged('ERROR', options.logLevel)) options.writeLine('edge', line);
    },
  });
  shutdown.onClose(distribution.close);
  return distribution.handle;
}

/** A token in a path gives access to a video, or to an upload. */
const tokenInPath = /^(\/s|\/api\/direct-uploads)\/[^/]+/;

/** A line for the terminal, without the token of the path. */
function accessLine({ request, status, sentBytes, address, startedAtMs, endedAtMs, outcome }: RequestRecord): string {
  const path = (request.url ?? '').split('?')[0]!.replace(tokenInPath, '$1/-');
  return JSON.stringify({
    method: request.method,
    path,
    status,
    bytes: sentBytes,
    durationSeconds: (endedAtMs - startedAtMs) / 1000,
    remoteAddress: address,
    outcome,
    userAgent: request.headers['user-agent'] ?? '',
  });
}

/** Origins are the buckets and the HTTP API of the template. */
function createOrigins({ template, location }: StackContext, { s3, httpApi }: Parts, distributionArn: string) {
  const policyOf = readBucketPolicies(template);
  const buckets = template.resources('AWS::S3::Bucket').map(({ ref }) => ref);
  const [api] = template.resources('AWS::ApiGatewayV2::Api');
  return (origin: OriginDefinition): Origin => {
    if (origin.kind === 's3') {
      const bucket = buckets.find((name) => origin.domainName.startsWith(`${name}.s3.`));
      if (!bucket) throw new Error(`The origin ${origin.id} is not a bucket of the template.`);
      const policy = policyOf(bucket, 'cloudfront.amazonaws.com');
      return createS3Origin({ read: s3.read, bucket, origin, policy, distributionArn, accountId });
    }
    // Templates are run with the local address instead of the API's host name.
    const isApi = api && origin.domainName === new URL(location.apiUrl).host;
    if (!isApi) throw new Error(`The origin ${origin.id} is not the HTTP API of the template.`);
    return createHttpApiOrigin(httpApi, `${api.ref.toLowerCase()}.execute-api.${region}.amazonaws.com`);
  };
}
