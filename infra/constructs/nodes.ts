import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Delivery } from './delivery.ts';
import { functionArn, type Resource, ServiceFunction } from './function.ts';
import { nodeImage, proxyImage } from './node-image.ts';
import { parameterPrefix, parameters } from './parameters.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

export type NodesOptions = {
  settings: Settings;
  storage: Storage;
  workers: Workers;
  delivery: Delivery;
  /** where nodes find the API, without a slash at its end */
  apiUrl: string;
};

/**
 * Registered servers. One function opens connections to them, and it alone can read their private keys: those that take requests can store a key and
 * ask the function to use it.
 */
export class Nodes extends Construct {
  readonly sshKeys: Resource<'read' | 'store'>;
  /** A step outlasts the gateway's 30 s, so it runs in an invocation of its own. */
  readonly operations: Resource<'order'>;

  constructor(scope: Construct, id: string, options: NodesOptions) {
    super(scope, id);
    const { settings } = options;
    this.sshKeys = this.#sshKeys(settings);
    this.operations = {
      environment: {
        OPERATE_FUNCTION: `video-service-${settings.stage}-operate`,
        ALLOW_LOOPBACK_NODES: settings.nodes.allowLoopback ? 'on' : 'off',
      },
      statements: () => [
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [functionArn(this, settings, 'operate')],
        }),
      ],
    };
    this.#operate(options);
  }

  /** Encrypted under a key of their own, so that reading a parameter alone opens none. */
  #sshKeys(settings: Settings): Resource<'read' | 'store'> {
    const { keyArn } = new Key(this, 'SshKeysKey', {
      alias: `video-service-${settings.stage}-ssh-keys`,
      description: 'Encrypts the private SSH keys of registered nodes',
      enableKeyRotation: true,
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const { environment, arn } = parameters(this, settings, 'ssh-keys/*');
    const rights = {
      read: { ssm: ['ssm:GetParameter'], kms: ['kms:Decrypt'] },
      // Parameters over 4 KB are encrypted under a data key.
      store: { ssm: ['ssm:PutParameter', 'ssm:DeleteParameter'], kms: ['kms:Encrypt', 'kms:GenerateDataKey'] },
    };
    return {
      environment: { ...environment, SSH_KEYS_KMS_KEY: keyArn },
      statements: (access) => [
        new PolicyStatement({ actions: rights[access].ssm, resources: [arn] }),
        new PolicyStatement({ actions: rights[access].kms, resources: [keyArn] }),
      ],
    };
  }

  #operate({ settings, storage, workers, delivery, apiUrl }: NodesOptions): void {
    const { nodes } = settings;
    const handler = new ServiceFunction(this, 'nodes/operate', {
      settings,
      size: 'deploy',
      description: 'Runs steps on registered servers over SSH',
      environment: {
        API_URL: apiUrl,
        // One machine's tests give it another.
        NODE_SSH_PORT: '22',
        CERTIFICATE_EMAIL: nodes.certificateEmail ?? '',
        ACME_DIRECTORY: nodes.acmeDirectory ?? '',
        BUCKET_NAME: storage.bucketName,
        SIGNING_KEYS_PARAMETER: `${parameterPrefix(settings)}/signing-keys`,
        STORE_REGION: Stack.of(this).region,
      },
    })
      .uses(storage.table, 'write')
      .uses(this.sshKeys, 'read')
      .uses(delivery.signingKeys, 'read')
      .uses(workers.nodeImage, 'pull')
      .uses(nodeImage('PROXY_IMAGE', nodes.proxyImage ?? proxyImage(this, settings)), 'pull');
    // What died is found by the minute tick, which knows whether it may be done again.
    handler.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    // The embedded cloud gives the function credentials of this role for the servers; on AWS they have them from an agent.
    const definition = handler.node.defaultChild as CfnFunction;
    definition.addMetadata('embedded-aws:managed-node-role', delivery.proxyRole.roleName);
  }
}
