import { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { functionArn, type Resource } from './function.ts';
import { parameters } from './parameters.ts';
import type { Settings } from './settings.ts';

/** Registered servers: their SSH keys, encrypted under a key of their own, so that reading a parameter alone opens none. */
export class Nodes extends Construct {
  readonly sshKeys: Resource<'read' | 'write'>;
  /** One deploy step runs in one asynchronous invocation of the same function, since a step outlasts the gateway's 30 s. */
  readonly deployment: Resource<'invoke'>;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const key = new Key(this, 'SshKeysKey', {
      alias: `video-service-${settings.stage}-ssh-keys`,
      description: 'Encrypts the private SSH keys of registered nodes',
      enableKeyRotation: true,
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const keyParameters = parameters(this, settings, 'ssh-keys/*');
    this.sshKeys = {
      environment: { ...keyParameters.environment, SSH_KEYS_KMS_KEY: key.keyArn },
      statements: (access) => [
        ...keyParameters.statements(access),
        new PolicyStatement({
          // Parameters over 4 KB are encrypted under a data key.
          actions: access === 'read' ? ['kms:Decrypt'] : ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'],
          resources: [key.keyArn],
        }),
      ],
    };
    this.deployment = {
      environment: {},
      statements: () => [
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn(this, settings, 'nodes')] }),
      ],
    };
  }
}
