import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ingestedReasons } from '../../shared/created-objects.ts';
import type { FunctionEnvironment } from '../../shared/environment.ts';
import { uploadsPrefix, watchPrefix } from '../../shared/object-keys.ts';
import { taskHourDollars } from '../../shared/pricing/task-hour.ts';
import type { Settings } from '../settings.ts';
import { pipelineDefinition } from '../state-machine/definition.ts';
import { type PipelineFunction, pipelineFunctions } from '../state-machine/pipeline-functions.ts';
import { type Resource, ServiceFunction } from './function.ts';
import { logRemoval } from './log-removal.ts';
import type { MachineResource } from './state-machine-resource.ts';
import type { Storage } from './storage.ts';
import { storageDeliveriesResource } from './storage-deliveries.ts';
import { transcriptionsResource } from './transcriptions.ts';
import type { Workers } from './workers.ts';

export type PipelineResources = {
  settings: Settings;
  storage: Storage;
  machine: MachineResource;
  workers: Workers;
  earlyWorker: Resource<'invoke'>;
};

/** The state machine, the functions that its states call, and the rule that starts it for an upload. */
export class Pipeline extends Construct {
  readonly stateMachine: sfn.StateMachine;
  readonly deadLetters: Queue;
  readonly functions: Record<PipelineFunction, ServiceFunction>;

  constructor(scope: Construct, id: string, resources: PipelineResources) {
    super(scope, id);
    this.functions = this.#functions(resources);
    this.functions.enqueue.wakesTasks();
    this.stateMachine = this.#stateMachine(resources);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.#startOnUpload(resources.storage);
  }

  #functions(resources: PipelineResources): Record<PipelineFunction, ServiceFunction> {
    const { settings, storage, machine, workers, earlyWorker } = resources;
    const add = (
      name: PipelineFunction,
      size: 'step' | 'copies' | 'lists',
      description: string,
      environment: FunctionEnvironment = {},
    ) =>
      new ServiceFunction(this, `pipeline/${name}`, { settings, size, description, environment }).usesTable(
        storage.table,
      );
    const admission = { MAX_RUNNING_EXECUTIONS: settings.maxRunningExecutions };
    const plan = { read: ['plans/'] } as const;
    // Whatever fails an output ends the playlists that grew while it was encoded.
    const playlists = { read: ['plans/', 'videos/'], list: ['videos/'], write: ['videos/'] } as const;
    return {
      'create-video': add('create-video', 'copies', 'Creates the video of an upload, once', admission)
        .uses(storage.bucket, {
          read: ['uploads/', 'ingest/'],
          list: ['uploads/', 'ingest/'],
          write: ['uploads/'],
          tag: ['uploads/', 'ingest/'],
          multipart: ['uploads/'],
          remove: ['uploads/'],
        })
        .uses(machine, ['start']),
      enqueue: add('enqueue', 'step', 'Queues a job with its task token')
        .uses(storage.bucket, plan)
        .uses(machine, ['succeed'])
        .uses(workers.tasks, 'start')
        .uses(earlyWorker, 'invoke'),
      plan: add('plan', 'lists', 'Plans chunks, rungs and outputs of a probed source')
        .uses(storage.bucket, { read: ['plans/', 'images/'], list: ['images/'], write: ['plans/', 'work/'] })
        .uses(workers.tasks, 'start'),
      'decide-quality': add('decide-quality', 'step', 'Decides the quality of each rung').uses(storage.bucket, {
        read: ['plans/'],
        write: ['plans/'],
      }),
      'start-packaging': add('start-packaging', 'step', 'Determines which outputs can be packaged').uses(
        storage.bucket,
        playlists,
      ),
      'package-output': add('package-output', 'lists', 'Writes the manifests of an output').uses(storage.bucket, {
        read: ['videos/', 'plans/'],
        write: ['videos/'],
        list: ['videos/'],
      }),
      publish: add('publish', 'step', 'Sets the final status of a video', {
        ...admission,
        TRANSCRIPTION: settings.transcription !== null,
        DOLLARS_PER_TASK_HOUR: Number(taskHourDollars(settings.workers, settings.workers.spotTaskShare).toFixed(5)),
      })
        .uses(storage.bucket, { ...playlists, remove: ['videos/'] })
        .uses(storageDeliveriesResource(this, settings), 'start')
        .uses(transcriptionsResource(this, settings), 'start')
        .uses(machine, ['start']),
      'add-captions': add('add-captions', 'lists', 'Stores the captions of a source').uses(storage.bucket, playlists),
      'fail-streams': add('fail-streams', 'step', 'Fails the streams of a failed chunk or track').uses(
        storage.bucket,
        plan,
      ),
      'fail-output': add('fail-output', 'step', 'Fails an output that could not be packaged').uses(
        storage.bucket,
        playlists,
      ),
      // A stream edit that was applied already is completed, with the description of its track from the plan.
      fail: add('fail', 'step', 'Fails a video that could not be processed', admission)
        .uses(storage.bucket, playlists)
        .uses(machine, ['start']),
    };
  }

  #stateMachine({ settings, storage, machine }: PipelineResources): sfn.StateMachine {
    const arns = Object.fromEntries(
      pipelineFunctions.map((name) => [name, this.functions[name].functionArn]),
    ) as Record<PipelineFunction, string>;
    const definition = pipelineDefinition({ ...settings, partition: Aws.PARTITION, arns });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    for (const handler of Object.values(this.functions)) {
      role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }));
    }
    for (const statement of [
      // The distributed map reads its list and runs each item as a child execution.
      ...storage.bucket.statements({ read: ['work/'] }),
      ...machine.statements(['start', 'stop', 'describe']),
    ]) {
      role.addToPolicy(statement);
    }
    return new sfn.StateMachine(this, 'StateMachine', {
      stateMachineName: machine.name,
      role,
      definitionBody: sfn.DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
      tracingEnabled: settings.tracing,
      logs: {
        destination: new LogGroup(this, 'Log', {
          // Log groups with this prefix need no entry in the log resource policy, whose length is limited.
          logGroupName: `/aws/vendedlogs/states/${machine.name}`,
          retention: settings.logRetentionDays,
          removalPolicy: logRemoval(settings),
        }),
        level: sfn.LogLevel.ALL,
        // Inputs hold task tokens.
        includeExecutionData: false,
      },
    });
  }

  /** EventBridge starts the machine directly. It retries for a day; then the event goes to the dead-letter queue. */
  #startOnUpload(storage: Storage): void {
    this.#startOn(storage, 'Uploaded', uploadsPrefix);
    this.#startOn(storage, 'Watched', watchPrefix);
  }

  #startOn(storage: Storage, id: string, prefix: string): void {
    new Rule(this, id, {
      description: `Starts the pipeline for an object below ${prefix}`,
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: {
          bucket: { name: [storage.bucketName] },
          object: { key: Match.prefix(prefix) },
          reason: [...ingestedReasons[prefix]!],
        },
      },
      targets: [
        new SfnStateMachine(this.stateMachine, {
          deadLetterQueue: this.deadLetters,
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
        }),
      ],
    });
  }
}
