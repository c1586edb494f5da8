import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { samplesPrefix } from '../../shared/object-keys.ts';
import type { Settings } from '../settings.ts';
import type { Delivery } from './delivery.ts';
import { FixedEgress } from './fixed-egress.ts';
import { invokeStatement, type Resource, ServiceFunction } from './function.ts';
import { byArchitecture, type Images, nodeImage, proxyImage } from './node-image.ts';
import { createKey, keyStatement, parameterPrefix, parameters } from './parameters.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

/** Which addresses nodes may have: checked when they are registered, and before each connection. */
const nodeTargets = ({ nodes }: Settings) => ({
  ALLOW_LOOPBACK_NODES: nodes.allowLoopback,
  ALLOW_IPV6_NODES: nodes.allowIpv6,
});

export type NodesOptions = {
  settings: Settings;
  storage: Storage;
  workers: Workers;
  delivery: Delivery;
  /** URL of the API, without a trailing slash */
  apiUrl: string;
};

/**
 * Registered servers. Only the function `operate` connects to them and can read their private keys. API functions can
 * store a key and invoke `operate`.
 */
export class Nodes extends Construct {
  readonly sshKeys: Resource<'read' | 'store'>;
  /** A step takes longer than the gateway's 30 s, so it runs in a separate asynchronous invocation. */
  readonly operations: Resource<'invoke'>;

  constructor(scope: Construct, id: string, options: NodesOptions) {
    super(scope, id);
    const { settings } = options;
    this.sshKeys = this.#sshKeys(settings);
    this.operations = {
      environment: {
        OPERATE_FUNCTION: `video-service-${settings.stage}-operate`,
        ...nodeTargets(settings),
      },
      statements: () => [invokeStatement(this, settings, 'operate')],
    };
    this.#operate(options);
  }

  /** Encrypted with a key that no other secret has. */
  #sshKeys(settings: Settings): Resource<'read' | 'store'> {
    const key = createKey(this, 'SshKeysKey', {
      settings,
      alias: 'ssh-keys',
      description: 'Encrypts the private SSH keys of registered nodes',
    });
    const { arn } = parameters(this, settings, 'ssh-keys/*');
    const rights = {
      read: { ssm: ['ssm:GetParameter'], kms: ['kms:Decrypt'] },
      // Parameters over 4 KB are encrypted with a data key.
      store: { ssm: ['ssm:PutParameter', 'ssm:DeleteParameter'], kms: ['kms:Encrypt', 'kms:GenerateDataKey'] },
    } as const;
    return {
      environment: { PARAMETER_PREFIX: parameterPrefix(settings), SSH_KEYS_KMS_KEY: key.keyArn },
      statements: (access) => [
        new PolicyStatement({ actions: [...rights[access].ssm], resources: [arn] }),
        keyStatement(key, [...rights[access].kms]),
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
        ...nodeTargets(settings),
        // Tests use another port.
        NODE_SSH_PORT: 22,
        CERTIFICATE_EMAIL: nodes.certificateEmail ?? undefined,
        ACME_DIRECTORY: nodes.acmeDirectory ?? undefined,
        SIGNING_KEYS_PARAMETER: `${parameterPrefix(settings)}/signing-keys`,
        STORE_REGION: Stack.of(this).region,
      },
    })
      .usesTable(storage.table)
      .uses(storage.bucket, { write: [samplesPrefix], remove: [samplesPrefix] })
      .uses(this.sshKeys, 'read')
      .uses(delivery.signingKeys, 'read')
      .uses(workers.nodeImage, 'pull')
      .uses(nodeImage('proxy', nodes.proxyImage ?? this.#proxyImages()), 'pull');
    if (nodes.fixedEgress) new FixedEgress(this, 'FixedEgress').addFunction(handler);
    // No automatic retries: check-nodes finds interrupted operations and knows whether they may be repeated.
    handler.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    // The embedded AWS passes credentials of this role to the function, for the servers. On AWS the servers get them
    // from the Systems Manager agent.
    const definition = handler.node.defaultChild as CfnFunction;
    definition.addMetadata('embedded-aws:managed-node-role', delivery.proxyRole.roleName);
  }

  #proxyImages(): Images {
    return byArchitecture((architecture) => proxyImage(this, architecture));
  }
}
