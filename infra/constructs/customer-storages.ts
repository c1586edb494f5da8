import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';
import { createKey, keyStatement, parameterPrefix, parameters } from './parameters.ts';

type Access = 'open' | 'store' | 'remove';

/** Access to the buckets of users: their secrets, and roles of other accounts. */
export class CustomerStorages extends Construct {
  readonly secrets: Resource<Access>;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    // Of its own: who may read other secrets of the stage cannot read these.
    const key = createKey(this, 'Key', {
      settings,
      alias: 'storages',
      description: 'Encrypts the secrets of the storages of users',
    });
    const { arn } = parameters(this, settings, 'storages/*');
    const rights = {
      open: { ssm: ['ssm:GetParameter'], kms: ['kms:Decrypt'] },
      store: { ssm: ['ssm:PutParameter', 'ssm:DeleteParameter'], kms: ['kms:Encrypt'] },
      remove: { ssm: ['ssm:DeleteParameter'], kms: [] },
    } as const;
    const { account, partition } = Stack.of(this);
    this.secrets = {
      environment: {
        PARAMETER_PREFIX: parameterPrefix(settings),
        STORAGES_KMS_KEY: key.keyArn,
        ACCOUNT_ID: account,
        ALLOW_LOOPBACK_TARGETS: settings.allowLoopbackTargets,
      },
      statements: (access) => [
        new PolicyStatement({ actions: [...rights[access].ssm], resources: [arn] }),
        ...(rights[access].kms.length > 0 ? [keyStatement(key, [...rights[access].kms])] : []),
        ...(access === 'open'
          ? [
              new PolicyStatement({
                actions: ['sts:AssumeRole'],
                resources: [`arn:${partition}:iam::*:role/*`],
                // The trust policy of the role has to require it too.
                conditions: { Null: { 'sts:ExternalId': 'false' } },
              }),
              // Roles of the service's own account may trust the whole account, such as those that deploy it.
              new PolicyStatement({
                effect: Effect.DENY,
                actions: ['sts:AssumeRole'],
                resources: [`arn:${partition}:iam::${account}:role/*`],
              }),
            ]
          : []),
      ],
    };
  }
}
