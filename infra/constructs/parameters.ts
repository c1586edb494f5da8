import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';

/** Prefix of the names of all parameters of a stage. */
export const parameterPrefix = (settings: Settings): string => `/video-service/${settings.stage}`;

/** A key of KMS for parameters. Permission to read a parameter is not enough then. */
export const createKey = (
  scope: Construct,
  id: string,
  { settings, alias, description }: { settings: Settings; alias: string; description: string },
): Key =>
  new Key(scope, id, {
    alias: `video-service-${settings.stage}-${alias}`,
    description,
    enableKeyRotation: true,
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });

/** The key of the stage's secrets except SSH keys, which have one of their own. */
export function secretsKey(scope: Construct, settings: Settings): Key {
  const stack = Stack.of(scope);
  const id = 'SecretsKey';
  const known = stack.node.tryFindChild(id) as Key | undefined;
  return (
    known ?? createKey(stack, id, { settings, alias: 'secrets', description: 'Encrypts the secrets of the stage' })
  );
}

/** Permission for a key that opens nothing but parameters. */
export const keyStatement = ({ keyArn, stack }: Key, actions: `kms:${string}`[]): PolicyStatement =>
  new PolicyStatement({
    actions,
    resources: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `ssm.${stack.region}.amazonaws.com` } },
  });

/**
 * Under the account's key of Parameter Store, which opens them for all that may read the parameter: it can be read in
 * the configuration of the distribution anyway, and it is created by the deployment. A failed first deployment removes
 * the key of the stage, but no parameter, and the next one could not read it.
 */
const originSecretName = 'origin-secret';

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
  const key = path === originSecretName ? undefined : secretsKey(scope, settings);
  return {
    arn,
    environment: { PARAMETER_PREFIX: parameterPrefix(settings), PARAMETERS_KMS_KEY: key?.keyArn },
    statements: (access) => [
      new PolicyStatement({
        actions: ['ssm:GetParameter', ...(access === 'write' ? ['ssm:PutParameter'] : [])],
        resources: [arn],
      }),
      ...(key ? [keyStatement(key, ['kms:Decrypt', ...(access === 'write' ? (['kms:Encrypt'] as const) : [])])] : []),
    ],
  };
}
