import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import { addApiFunctions } from './api-functions.ts';
import { Delivery } from './delivery.ts';
import { ServiceFunction } from './function.ts';
import { Nodes } from './nodes.ts';
import { Observability } from './observability.ts';
import { parameters } from './parameters.ts';
import { Pipeline } from './pipeline.ts';
import { Schedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import { machineResource } from './state-machine-resource.ts';
import { Storage } from './storage.ts';
import { Workers } from './workers.ts';

/** The whole service of one stage. */
export class VideoService extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { settings: Settings }) {
    super(scope, id, props);
    const storage = new Storage(this, 'Storage', settings);
    const api = new Api(this, 'Api', settings);
    const workers = new Workers(this, 'Workers', { settings, apiUrl: api.url });
    const delivery = new Delivery(this, 'Delivery', { settings, storage });
    const nodes = new Nodes(this, 'Nodes', { settings, storage, workers, delivery, apiUrl: api.url });
    const machine = machineResource(this, settings);

    addApiFunctions(this, { settings, api, storage, machine, workers, nodes, delivery });
    const pipeline = new Pipeline(this, 'Pipeline', { settings, storage, machine, workers });
    new Schedule(this, 'Schedule', { settings, storage, machine, workers, nodes });
    new Observability(this, 'Observability', { settings, pipeline, delivery, api });

    const setup = new ServiceFunction(this, 'setup', {
      settings,
      size: 'passwords',
      description: 'Makes keys, the worker token and the first administrator; called once after the first deployment',
    })
      .uses(storage.table, 'write')
      .uses(parameters(this, settings, '*'), 'write');

    this.#outputs({
      ApiUrl: api.url,
      BucketName: storage.bucketName,
      TableName: storage.tableName,
      StateMachineArn: pipeline.stateMachine.stateMachineArn,
      SetupFunctionName: setup.functionName,
      RotateKeysFunctionName: delivery.rotateKeys.functionName,
      CountAccessesFunctionName: delivery.countAccesses.functionName,
      DeadLettersUrl: pipeline.deadLetters.queueUrl,
      UncountedUrl: delivery.uncounted.queueUrl,
      ProxyRoleName: delivery.proxyRole.roleName,
    });
  }

  #outputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
