import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import type { CustomerStorages } from '../customer-storages.ts';
import { functionArn, type Resource, ServiceFunction } from '../function.ts';
import type { Storage } from '../storage.ts';
import type { Workers } from '../workers.ts';

/** The function that continues ingests, for the functions that start it. */
export const ingestsResource = (scope: Construct, settings: Settings): Resource<'start'> => ({
  environment: { INGESTS_FUNCTION: `video-service-${settings.stage}-continue-ingests` },
  statements: () => [
    new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: [functionArn(scope, settings, 'continue-ingests')],
    }),
  ],
});

type IngestResources = { settings: Settings; storage: Storage; workers: Workers; storages: CustomerStorages };

/** The function that queues the jobs of ingests and joins what their workers have stored. */
export class Ingests extends Construct {
  constructor(scope: Construct, id: string, { settings, storage, workers, storages }: IngestResources) {
    super(scope, id);
    const continueIngests = new ServiceFunction(this, 'ingests/continue-ingests', {
      settings,
      // The store needs minutes to join the parts of a large file.
      size: 'copies',
      description: 'Queues the jobs of ingests, and joins the parts that their workers have stored',
      environment: { MAX_RUNNING_INGESTS: settings.ingests.maxRunningPerUser },
    })
      .usesTable(storage.table)
      .uses(storage.bucket, {
        read: ['uploads/', 'plans/'],
        list: ['uploads/'],
        multipart: ['uploads/'],
        parts: ['uploads/'],
      })
      .uses(workers.tasks, 'start')
      .uses(storages.secrets, 'open');
    // On one machine idle workers are notified of a queued job, as they are by the function that queues other jobs.
    (continueIngests.node.defaultChild as CfnFunction).addMetadata('embedded-aws:wakes-tasks', true);
    // The schedule does the work of calls that fail.
    continueIngests.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'continue-ingests-rule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(continueIngests, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
