import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { logKeyPrefix, openLogDelivery } from '../cloudfront/access-log/log-delivery.ts';
import { lineWriter } from '../cloudfront/access-log/log-record.ts';
import type { RequestRecord } from '../cloudfront/distribution-server.ts';
import { deliveredAcl, deliveringService, deliveryContext, deliverySourceArn } from '../logs/log-deliveries.ts';
import type { DistributionDefinition } from '../template/distributions/read-distributions.ts';
import { readLogDeliveries } from '../template/distributions/read-log-deliveries.ts';
import { readBucketPolicies } from '../template/read-bucket-policies.ts';
import { accountId } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

/**
 * The access log of a distribution, if the template delivers it to a bucket. The service that delivers it writes what
 * the policy of the bucket allows.
 */
export async function openAccessLog(
  stack: StackContext,
  principals: StackPrincipals,
  definition: Pick<DistributionDefinition, 'id' | 'arn' | 'domainName'>,
): Promise<((record: RequestRecord) => void) | undefined> {
  const { template, options, shutdown } = stack;
  const delivery = readLogDeliveries(template).get(definition.arn);
  if (!delivery) return undefined;
  const { bucket, sourceName, fields } = delivery;
  const context = deliveryContext(accountId, deliverySourceArn(accountId, sourceName));
  const policy = readBucketPolicies(template)(bucket, deliveringService);
  const store = stack.s3Client(
    principals.ofServiceItself(deliveringService, (request) =>
      policy({ ...request, context: { ...request.context, ...context } }),
    ),
  );
  const log = await openLogDelivery({
    folder: join(options.dataFolder, 'access-log'),
    keyPrefix: logKeyPrefix(delivery, { distributionId: definition.id, accountId }),
    put: async (Key, Body) =>
      void (await store.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ACL: deliveredAcl }))),
    onError: stack.reportTo('edge'),
  });
  shutdown.onClose(log.close);
  const toLine = lineWriter(fields);
  return (record) => log.write(toLine({ record, distribution: definition }));
}
