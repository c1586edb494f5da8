import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { CustomerStorages } from './customer-storages.ts';
import { type Resource, ServiceFunction, startedFunction } from './function.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

/** The function that continues storage deliveries, for the functions that start it. */
export const storageDeliveriesResource = (scope: Construct, settings: Settings): Resource<'start'> =>
  startedFunction(scope, settings, { name: 'continue-storage-deliveries', variable: 'STORAGE_DELIVERIES_FUNCTION' });

type Resources = { settings: Settings; storage: Storage; storages: CustomerStorages; workers: Workers };

/** The function that lists the files of storage deliveries, queues their jobs and ends them. */
export class StorageDeliveries extends Construct {
  constructor(scope: Construct, id: string, { settings, storage, storages, workers }: Resources) {
    super(scope, id);
    const continueDeliveries = new ServiceFunction(this, 'storage-deliveries/continue-storage-deliveries', {
      settings,
      size: 'lists',
      description: 'Lists the files of storage deliveries, and queues the jobs that copy them',
    })
      .usesTable(storage.table)
      .uses(storage.bucket, {
        read: ['plans/', 'videos/*/captions/'],
        list: ['videos/', 'plans/'],
        // The list of the files, and captions as the manifests of HLS need them.
        write: ['plans/', 'videos/*/captions/'],
      })
      .uses(storages.secrets, 'open')
      .uses(workers.tasks, 'start')
      .wakesTasks();
    // `reap` calls it for users with open deliveries, each minute: also for calls that have failed.
    continueDeliveries.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}
