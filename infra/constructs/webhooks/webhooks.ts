import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import type { ServiceEventBus } from '../events/service-event-bus.ts';
import { deliverRecords } from '../events/table-stream.ts';
import { ServiceFunction } from '../function.ts';
import { parameters } from '../parameters.ts';
import type { Storage } from '../storage.ts';
import { senderResource } from './sender-resource.ts';

type WebhookResources = { settings: Settings; storage: Storage; bus: ServiceEventBus };

/** New events of the table reach the webhooks of their owners and the event bus. */
export class Webhooks extends Construct {
  /** Events that the stream could not pass on. The minute schedule passes them on later. */
  readonly undispatched: Queue;

  constructor(scope: Construct, id: string, { settings, storage, bus }: WebhookResources) {
    super(scope, id);
    this.undispatched = new Queue(this, 'Undispatched', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const send = new ServiceFunction(this, 'webhooks/send', {
      settings,
      size: 'send',
      description: 'Sends events to webhooks',
      environment: {
        ALLOW_LOOPBACK_TARGETS: settings.allowLoopbackTargets,
        MAX_WEBHOOK_SENDERS: settings.webhooks.maxSenders,
      },
    })
      .usesTable(storage.table)
      .uses(parameters(this, settings, 'webhook-key'), 'read');
    // What it leaves is due, and the minute schedule starts it again.
    send.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) });

    const dispatch = new ServiceFunction(this, 'webhooks/dispatch', {
      settings,
      size: 'step',
      description: 'Passes events to webhooks and to the event bus',
    })
      .usesTable(storage.table)
      .uses(senderResource(this, settings), 'start')
      .uses(bus.sending, 'put');
    dispatch.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    deliverRecords(dispatch, storage.stream, {
      // The update that marks an event as dispatched is no new event.
      filter: { eventName: ['INSERT'], dynamodb: { NewImage: { pk: { S: [{ prefix: 'EVENT#' }] } } } },
      batchSize: 10,
      retryAttempts: 5,
      maxRecordAge: Duration.hours(1),
      undelivered: this.undispatched,
    });
    new Rule(this, 'due-rule', {
      description: 'Starts the attempts to webhooks that are due, and passes on events that the stream has lost',
      schedule: Schedule.rate(Duration.minutes(1)),
      // No retries: the next run does the same work.
      targets: [new LambdaFunction(dispatch, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
