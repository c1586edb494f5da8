import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import type { CustomerStorages } from '../customer-storages.ts';
import { type Resource, ServiceFunction, startedFunction } from '../function.ts';
import type { Storage } from '../storage.ts';
import type { Workers } from '../workers.ts';

/** The function that continues ingests, for the functions that start it. */
export const ingestsResource = (scope: Construct, settings: Settings): Resource<'start'> =>
  startedFunction(scope, settings, { name: 'continue-ingests', variable: 'INGESTS_FUNCTION' });

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
      .uses(storages.secrets, 'open')
      .wakesTasks();
    // `reap` calls it for users with ingests, each minute: also for calls that have failed.
    continueIngests.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}
