import { Aws, Duration } from 'aws-cdk-lib';
import { Match, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accessLogsPrefix, edgeLogsPrefix } from '../../shared/object-keys.ts';
import type { Settings } from '../settings.ts';
import type { Edge } from './edge.ts';
import { type Resource, ServiceFunction } from './function.ts';
import { parameters } from './parameters.ts';
import type { Storage } from './storage.ts';

export type DeliveryOptions = { settings: Settings; storage: Storage; edge: Edge | undefined };

/** Signed playback: signing keys and their rotation, the role of proxies, and the counting of their access logs. */
export class Delivery extends Construct {
  readonly signingKeys: Resource<'read' | 'write'>;
  readonly rotateKeys: ServiceFunction;
  readonly proxyRole: Role;
  /** dead letters of access logs that could not be counted */
  readonly uncounted: Queue;
  readonly countAccesses: ServiceFunction;

  constructor(scope: Construct, id: string, options: DeliveryOptions) {
    super(scope, id);
    this.signingKeys = parameters(this, options.settings, 'signing-keys');
    this.rotateKeys = this.#rotateKeys(options);
    this.proxyRole = this.#proxyRole(options);
    this.uncounted = new Queue(this, 'Uncounted', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.countAccesses = this.#countAccesses(options);
  }

  #rotateKeys({ settings, storage, edge }: DeliveryOptions): ServiceFunction {
    const handler = new ServiceFunction(this, 'delivery/rotate-keys', {
      settings,
      size: 'step',
      description: 'Rotates the signing key; an operator starts a rotation, the schedule continues it',
    })
      .usesTable(storage.table)
      .uses(this.signingKeys, 'write');
    if (edge) handler.uses(edge.keys, 'write');
    new Rule(this, 'rotate-keys-rule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(handler, { retryAttempts: 0, maxEventAge: Duration.minutes(5) })],
    });
    // The next scheduled run continues the rotation.
    handler.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) });
    return handler;
  }

  /** The role for which servers registered with Systems Manager get short-lived credentials. */
  #proxyRole({ settings, storage }: DeliveryOptions): Role {
    const role = new Role(this, 'ProxyRole', {
      description: `Proxy nodes of the video service, stage ${settings.stage}`,
      assumedBy: new ServicePrincipal('ssm.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    const writeLogs = storage.bucket.statements({ write: ['logs/'] });
    // The credentials of a proxy can add logs but not overwrite them.
    for (const statement of writeLogs) statement.addCondition('Null', { 's3:if-none-match': 'false' });
    for (const statement of [
      ...storage.bucket.statements({ read: ['videos/'] }),
      ...writeLogs,
      ...this.signingKeys.statements('read'),
      // The agent needs it to obtain credentials. A server has no ARN before it is registered.
      new PolicyStatement({ actions: ['ssm:UpdateInstanceInformation'], resources: ['*'] }),
    ]) {
      role.addToPolicy(statement);
    }
    return role;
  }

  /** Events that still fail after Lambda's two retries go to a queue. The log itself is kept for `accessLogDays`. */
  #countAccesses({ settings, storage, edge }: DeliveryOptions): ServiceFunction {
    const { uncounted } = this;
    const handler = new ServiceFunction(this, 'delivery/count-accesses', {
      settings,
      size: 'lists',
      description: 'Adds the bytes, sessions and views of an access log to the analytics, once',
      environment: { COUNT_VIEWS: settings.countViews },
    })
      .usesTable(storage.table)
      // The plan of a video says how long its segments are. Without the right to list, a missing one looks forbidden.
      .uses(storage.bucket, { read: ['logs/', 'plans/'], list: ['plans/'] });
    if (edge) {
      // Converts logs of the distribution, and deletes the originals.
      handler.uses(storage.bucket, { write: ['logs/access/edge/'], list: ['logs/edge/'], remove: ['logs/edge/'] });
    }
    // The SqsDestination of CDK would also grant permission to read the attributes of the queue.
    handler.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [uncounted.queueArn] }));
    handler.configureAsyncInvoke({
      onFailure: { bind: () => ({ destination: uncounted.queueArn }) },
      maxEventAge: Duration.hours(6),
    });
    new Rule(this, 'Shipped', {
      description: 'Counts an uploaded access log',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: {
          bucket: { name: [storage.bucketName] },
          object: { key: Match.anyOf(Match.prefix(accessLogsPrefix), Match.prefix(edgeLogsPrefix)) },
        },
      },
      targets: [
        new LambdaFunction(handler, {
          deadLetterQueue: uncounted,
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
        }),
      ],
    });
    return handler;
  }
}
