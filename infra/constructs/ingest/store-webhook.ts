import { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import type { Api } from '../api.ts';
import { ServiceFunction } from '../function.ts';
import { parameters } from '../parameters.ts';
import type { MachineResource } from '../state-machine-resource.ts';
import type { Storage } from '../storage.ts';

type Resources = { settings: Settings; api: Api; storage: Storage; machine: MachineResource };

/** The function that receives the notifications of a store without EventBridge. */
export class StoreWebhook extends Construct {
  constructor(scope: Construct, id: string, { settings, api, storage, machine }: Resources) {
    super(scope, id);
    const storeEvents = new ServiceFunction(this, 'api/ingest/store-events', {
      settings,
      size: 'request',
      optional: true,
      description: 'Starts the pipeline for objects that the store has announced',
      environment: { ALLOWED_ORIGINS: settings.allowedOrigins },
    })
      .uses(storage.bucket, {})
      .uses(machine, ['start'])
      .uses(parameters(this, settings, 'store-webhook-secret'), 'read');
    api.route(storeEvents, ['/api/store-events']);
  }
}
