import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';

/** Prefix of the names of all parameters of a stage. */
export const parameterPrefix = (settings: Settings): string => `/video-service/${settings.stage}`;

/**
 * Parameters of the stage at or below a path. They are SecureStrings, which CloudFormation cannot create, so the
 * functions create them at run time.
 */
export function parameters(
  scope: Construct,
  settings: Settings,
  path: string,
): Resource<'read' | 'write'> & { arn: string } {
  const arn = Stack.of(scope).formatArn({
    service: 'ssm',
    resource: 'parameter',
    resourceName: `${parameterPrefix(settings).slice(1)}/${path}`,
  });
  return {
    arn,
    environment: { PARAMETER_PREFIX: parameterPrefix(settings) },
    statements: (access) => [
      new PolicyStatement({
        actions: ['ssm:GetParameter', ...(access === 'write' ? ['ssm:PutParameter'] : [])],
        resources: [arn],
      }),
    ],
  };
}
