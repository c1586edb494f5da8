import { join } from 'node:path';
import { usualLimits } from '../account/account-limits.ts';
import { accountServices } from '../account/account-services.ts';
import { deliveringService, deliveryContext } from '../logs/log-deliveries.ts';
import { createLogs } from '../logs/logs-service.ts';
import type { Parameter } from '../ssm/parameter-file.ts';
import { openSsm } from '../ssm/ssm-server.ts';
import { bucketOf } from '../template/distributions/read-log-deliveries.ts';
import { readBucketPolicies } from '../template/read-bucket-policies.ts';
import { accountId, region } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';

/** Templates of the CDK read it: `npx cdk bootstrap` creates it once for each account and region. */
const bootstrapVersion: [string, Parameter] = [
  '/cdk-bootstrap/hnb659fds/version',
  { type: 'String', value: '30', version: 1, lastModifiedMs: 0, tier: 'Standard', dataType: 'text' },
];

export async function openParameters({ options, shutdown }: StackContext) {
  const file = join(options.dataFolder, 'parameters.json');
  const ssm = await openSsm({ file, region, given: new Map([bootstrapVersion]) });
  shutdown.onClose(ssm.close);
  return ssm;
}

/** The account of the stack: what operators can read about it. It has no resources of others. */
export function createStackAccount({ template, options }: StackContext) {
  const resources = Object.values(template.physicalIds());
  const names = (type: string): string[] =>
    resources.filter((one) => one.type === type).map(({ physicalId }) => physicalId);
  const logs = createLogs({
    region,
    accountId,
    logGroups: () => names('AWS::Logs::LogGroup'),
    mayWrite(destinationArn, sourceArn) {
      const { bucket } = bucketOf(destinationArn);
      const policy = readBucketPolicies(template)(bucket, deliveringService);
      const context = deliveryContext(accountId, sourceArn);
      return policy({ action: 's3:PutObject', resource: `${destinationArn}/AWSLogs/${accountId}/*`, context });
    },
  });
  const services = accountServices({
    accountId,
    limits: options.chaos?.account ?? usualLimits,
    names,
    serviceLinkedRoles: ['AWSServiceRoleForECS'],
  });
  return { logs: logs.service, services };
}
