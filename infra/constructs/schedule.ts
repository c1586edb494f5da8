import { Duration } from 'aws-cdk-lib';
import { Schedule as Rate, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { functionArn, type Resource, ServiceFunction } from './function.ts';
import type { Nodes } from './nodes.ts';
import type { PipelineResources } from './pipeline.ts';

/** The removal of deleted videos' files, for who is to start it. */
export const sweepResource = (scope: Construct, settings: Settings): Resource<'start'> => ({
  environment: { SWEEP_FUNCTION: `video-service-${settings.stage}-sweep` },
  statements: () => [
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn(scope, settings, 'sweep')] }),
  ],
});

/** What runs by the clock: it finds what events and workers did not tell. */
export class Schedule extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { settings, storage, machine, workers, nodes }: PipelineResources & { nodes: Nodes },
  ) {
    super(scope, id);
    const admission = { MAX_RUNNING_EXECUTIONS: String(settings.maxRunningExecutions) };
    const reap = new ServiceFunction(this, 'schedule/reap', {
      settings,
      size: 'step',
      description: 'Takes jobs from lost workers, starts tasks for what is queued and videos that wait for a place',
      environment: admission,
    })
      .uses(storage.table, 'write')
      .uses(machine, ['fail', 'start'])
      .uses(workers.tasks, 'start');
    const checkNodes = new ServiceFunction(this, 'schedule/check-nodes', {
      settings,
      size: 'step',
      description: 'Sees which registered nodes live, and goes on with what broke off',
    })
      .uses(storage.table, 'write')
      .uses(nodes.operations, 'order');
    const reconcile = new ServiceFunction(this, 'schedule/reconcile', {
      settings,
      size: 'sweep',
      description: 'Takes on or ends what fell between two steps',
      environment: admission,
    })
      .uses(storage.table, 'write')
      .uses(storage.bucket, {
        read: ['uploads/'],
        multipart: ['uploads/'],
        tag: ['uploads/'],
        list: ['uploads/', 'videos/', 'plans/'],
        remove: ['uploads/', 'videos/', 'plans/'],
        abandon: ['videos/'],
      })
      .uses(machine, ['start', 'describe', 'succeed', 'fail']);
    const sweep = new ServiceFunction(this, 'schedule/sweep', {
      settings,
      size: 'sweep',
      description: 'Removes the files of deleted videos',
    })
      .uses(machine, ['stop'])
      .uses(storage.table, 'write')
      .uses(storage.bucket, {
        read: ['plans/'],
        list: ['uploads/', 'videos/', 'plans/', 'work/'],
        remove: ['uploads/', 'videos/', 'plans/', 'work/'],
        abandon: ['videos/'],
      });
    this.#every(Duration.minutes(1), reap);
    this.#every(Duration.minutes(1), checkNodes);
    this.#every(Duration.minutes(15), reconcile);
    this.#every(Duration.minutes(15), sweep);
    // Goes on where the sweep that a deletion has started died.
    this.#every(Duration.minutes(1), sweep, { id: 'sweep-waiting-rule', event: { waiting: true } });
    // Deletions and the clock ask for it often enough.
    sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }

  #every(
    interval: Duration,
    handler: ServiceFunction,
    { id = `${handler.node.id}-rule`, event }: { id?: string; event?: object } = {},
  ): void {
    new Rule(this, id, {
      schedule: Rate.rate(interval),
      // A missed turn is not made up: the next one does the same work.
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
