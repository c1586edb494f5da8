import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';

export type MachineAccess = keyof typeof rights;
export type MachineResource = Resource<readonly MachineAccess[]> & { name: string; arn: string };

const rights = {
  start: { on: 'machine', actions: ['states:StartExecution'] },
  stop: { on: 'executions', actions: ['states:StopExecution'] },
  describe: { on: 'executions', actions: ['states:DescribeExecution'] },
  /** notify a waiting state that its job is done */
  succeed: { on: 'jobs', actions: ['states:SendTaskSuccess'] },
  /** notify a waiting state that its job failed */
  fail: { on: 'jobs', actions: ['states:SendTaskFailure'] },
} as const;

/**
 * The state machine by its fixed name. Its definition contains the ARNs of functions that start, stop and notify it: a
 * reference in both directions would be a circular dependency, which CloudFormation refuses.
 */
export function machineResource(scope: Construct, settings: Settings): MachineResource {
  const name = `video-service-${settings.stage}`;
  const statesArn = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({
      service: 'states',
      resource,
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const arn = statesArn('stateMachine', name);
  const resources = {
    machine: [arn],
    executions: [statesArn('execution', `${name}:*`)],
    // The reference of AWS lists no resource type for these actions. A task token is a secret that ends only its job.
    jobs: ['*'],
  };
  return {
    name,
    arn,
    environment: { STATE_MACHINE_ARN: arn },
    statements: (access) =>
      access.map(
        (right) => new PolicyStatement({ actions: [...rights[right].actions], resources: resources[rights[right].on] }),
      ),
  };
}
