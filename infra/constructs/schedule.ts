import { Duration } from 'aws-cdk-lib';
import { Schedule as Rate, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { samplesPrefix } from '../../shared/object-keys.ts';
import type { Settings } from '../settings.ts';
import type { CustomerStorages } from './customer-storages.ts';
import type { Delivery } from './delivery.ts';
import type { Edge } from './edge.ts';
import { type Resource, ServiceFunction, startedFunction } from './function.ts';
import { ingestsResource } from './ingest/ingests.ts';
import type { Nodes } from './nodes.ts';
import type { PipelineResources } from './pipeline.ts';
import { storageDeliveriesResource } from './storage-deliveries.ts';
import { transcriptionsResource } from './transcriptions.ts';

/** The function that removes the files of deleted videos, for the functions that start it. */
export const sweepResource = (scope: Construct, settings: Settings): Resource<'start'> =>
  startedFunction(scope, settings, { name: 'sweep', variable: 'SWEEP_FUNCTION' });

type ScheduleResources = Omit<PipelineResources, 'earlyWorker'> & {
  nodes: Nodes;
  delivery: Delivery;
  edge: Edge | undefined;
  storages: CustomerStorages;
};

/** Functions on a schedule. They detect what events and workers did not report. */
export class Schedule extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { settings, storage, machine, workers, nodes, delivery, edge, storages }: ScheduleResources,
  ) {
    super(scope, id);
    const admission = { MAX_RUNNING_EXECUTIONS: settings.maxRunningExecutions };
    const reap = new ServiceFunction(this, 'schedule/reap', {
      settings,
      size: 'step',
      description: 'Expires leases of lost workers, starts tasks for queued jobs and starts queued videos',
      environment: admission,
    })
      .usesTable(storage.table)
      .uses(machine, ['fail', 'start'])
      .uses(ingestsResource(this, settings), 'start')
      .uses(storageDeliveriesResource(this, settings), 'start')
      .uses(transcriptionsResource(this, settings), 'start')
      .uses(workers.tasks, 'start');
    const checkNodes = new ServiceFunction(this, 'schedule/check-nodes', {
      settings,
      size: 'step',
      description: 'Checks registered nodes, the edge and proxies, and resumes interrupted operations',
      environment: { EDGE_URL: edge?.url },
    })
      .usesTable(storage.table)
      // The file that it asks proxies for.
      .uses(storage.bucket, { write: [samplesPrefix], remove: [samplesPrefix] })
      .uses(delivery.signingKeys, 'read')
      .uses(nodes.operations, 'invoke');
    const reconcile = new ServiceFunction(this, 'schedule/reconcile', {
      settings,
      size: 'sweep',
      description: 'Repairs the effects of lost events and interrupted functions',
      environment: admission,
    })
      .usesTable(storage.table)
      .uses(storage.bucket, {
        // A video that it fails may play: it ends the playlists.
        read: ['uploads/', 'plans/', 'videos/*/public', 'videos/*/captions/', 'videos/*.m3u8'],
        // Manifests that do not list the present captions are written again.
        write: ['videos/*/captions/', 'videos/*.m3u8', 'videos/*.mpd'],
        multipart: ['uploads/'],
        tag: ['uploads/'],
        readTags: ['uploads/'],
        list: ['uploads/', 'videos/', 'plans/'],
        remove: ['uploads/', 'videos/', 'plans/'],
        abandon: ['videos/'],
      })
      .uses(machine, ['start', 'describe', 'succeed', 'fail'])
      .uses(storages.secrets, 'remove')
      .uses(storageDeliveriesResource(this, settings), 'start')
      .uses(ingestsResource(this, settings), 'start')
      .uses(transcriptionsResource(this, settings), 'start');
    const sweep = new ServiceFunction(this, 'schedule/sweep', {
      settings,
      size: 'sweep',
      description: 'Applies changes of playback and removes the files of deleted videos',
    })
      .uses(machine, ['stop'])
      .usesTable(storage.table)
      .uses(storage.bucket, {
        read: ['plans/'],
        write: ['videos/*/public'],
        list: ['uploads/', 'videos/', 'plans/', 'work/', 'images/'],
        remove: ['uploads/', 'videos/', 'plans/', 'work/', 'images/'],
        abandon: ['videos/'],
      })
      .uses(delivery.signingKeys, 'read');
    if (edge) sweep.uses(edge.keys, 'maintain');
    this.#every(Duration.minutes(1), reap);
    this.#every(Duration.minutes(1), checkNodes);
    this.#every(Duration.minutes(15), reconcile, { event: { scheduled: true } });
    this.#every(Duration.minutes(15), sweep);
    // Also resumes an interrupted sweep that a deletion started.
    this.#every(Duration.minutes(1), sweep, { id: 'sweep-waiting-rule', event: { waiting: true, expire: true } });
    // Lambda retries a failed asynchronous invocation twice by default. The next scheduled run does the same work.
    for (const scheduled of [reap, checkNodes, reconcile, sweep]) {
      scheduled.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    }
  }

  #every(
    interval: Duration,
    handler: ServiceFunction,
    { id = `${handler.node.id}-rule`, event }: { id?: string; event?: object } = {},
  ): void {
    new Rule(this, id, {
      schedule: Rate.rate(interval),
      // No retries: the next run does the same work.
      targets: [
        new LambdaFunction(handler, {
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
          ...(event && { event: RuleTargetInput.fromObject(event) }),
        }),
      ],
    });
  }
}
