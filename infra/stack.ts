import { CfnOutput, Fn, type IStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './constructs/api.ts';
import { addApiFunctions } from './constructs/api-functions.ts';
import { CustomerStorages } from './constructs/customer-storages.ts';
import { Delivery } from './constructs/delivery.ts';
import { EarlyWorker } from './constructs/early-worker.ts';
import { Edge } from './constructs/edge.ts';
import { ServiceEventBus } from './constructs/events/service-event-bus.ts';
import { ServiceFunction } from './constructs/function.ts';
import { Ingests } from './constructs/ingest/ingests.ts';
import { StoreWebhook } from './constructs/ingest/store-webhook.ts';
import { Nodes } from './constructs/nodes.ts';
import { parameters } from './constructs/parameters.ts';
import { Pipeline } from './constructs/pipeline.ts';
import { Schedule } from './constructs/schedule.ts';
import { machineResource } from './constructs/state-machine-resource.ts';
import { Storage } from './constructs/storage.ts';
import { StorageDeliveries } from './constructs/storage-deliveries.ts';
import { Transcriptions } from './constructs/transcriptions.ts';
import { Webhooks } from './constructs/webhooks/webhooks.ts';
import { Workers } from './constructs/workers.ts';
import { ImageSynthesizer } from './images/image-synthesizer.ts';
import { Observability } from './observability/observability.ts';
import type { Settings } from './settings.ts';

/** The most that `workers.zones` allows. */
const maxZones = 6;

/** The whole service of one stage. */
export class VideoService extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { settings: Settings }) {
    super(scope, id, { synthesizer: new ImageSynthesizer(settings.stage) as IStackSynthesizer, ...props });
    const storage = new Storage(this, 'Storage', settings);
    const api = new Api(this, 'Api', settings);
    const workers = new Workers(this, 'Workers', { settings, apiUrl: api.url });
    const earlyWorker = new EarlyWorker(this, 'EarlyWorker', { settings, image: workers.builtImage, apiUrl: api.url });
    const edge = settings.delivery === 'proxies' ? undefined : new Edge(this, 'Edge', { settings, storage, api });
    const delivery = new Delivery(this, 'Delivery', { settings, storage, edge });
    const nodes = new Nodes(this, 'Nodes', { settings, storage, workers, delivery, apiUrl: api.url });
    const storages = new CustomerStorages(this, 'CustomerStorages', settings);
    const bus = new ServiceEventBus(this, 'Events', settings);
    const machine = machineResource(this, settings);

    addApiFunctions(this, { settings, api, storage, machine, workers, nodes, delivery, storages, edge });
    const pipeline = new Pipeline(this, 'Pipeline', {
      settings,
      storage,
      machine,
      workers,
      earlyWorker: earlyWorker.invocations,
    });
    new Schedule(this, 'Schedule', { settings, storage, machine, workers, nodes, delivery, edge, storages });
    const webhooks = new Webhooks(this, 'Webhooks', { settings, storage, bus });
    new Observability(this, 'Observability', { settings, pipeline, delivery, api, webhooks, earlyWorker });
    new Ingests(this, 'Ingests', { settings, storage, workers, storages });
    new Transcriptions(this, 'Transcriptions', { settings, storage, workers });
    new StorageDeliveries(this, 'StorageDeliveries', { settings, storage, storages, workers });
    if (settings.storeWebhook) new StoreWebhook(this, 'StoreWebhook', { settings, api, storage, machine });

    const setup = new ServiceFunction(this, 'setup', {
      settings,
      size: 'passwords',
      description:
        'Creates keys, the worker token and the first administrator; invoked once after the first deployment',
    })
      .usesTable(storage.table)
      .uses(parameters(this, settings, '*'), 'write');
    if (edge) setup.uses(edge.keys, 'add');

    this.#outputs({
      ApiUrl: edge?.url ?? api.url,
      ...(edge && { EdgeCheckFunctionName: edge.checkFunctionName }),
      BucketName: storage.bucketName,
      TableName: storage.tableName,
      EventBusName: bus.eventBusName,
      StateMachineArn: pipeline.stateMachine.stateMachineArn,
      SetupFunctionName: setup.functionName,
      RotateKeysFunctionName: delivery.rotateKeys.functionName,
      CountAccessesFunctionName: delivery.countAccesses.functionName,
      DeadLettersUrl: pipeline.deadLetters.queueUrl,
      UncountedUrl: delivery.uncounted.queueUrl,
      ProxyRoleName: delivery.proxyRole.roleName,
    });
  }

  /** All that a region may have, of which each network takes its first ones. Without a region, CDK knows two. */
  override get availabilityZones(): string[] {
    return Array.from({ length: maxZones }, (_, zone) => Fn.select(zone, Fn.getAzs()));
  }

  #outputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
