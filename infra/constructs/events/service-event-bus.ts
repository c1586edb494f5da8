import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import type { Resource } from '../function.ts';

/** The bus on which operators get the events of the service. It costs nothing while no event is sent. */
export class ServiceEventBus extends EventBus {
  constructor(scope: Construct, id: string, { stage }: Settings) {
    super(scope, id, {
      eventBusName: `video-service-${stage}`,
      description: `Events of the video service, stage ${stage}`,
    });
  }

  /** For the functions that send events. */
  get sending(): Resource<'put'> {
    return {
      environment: { EVENT_BUS_NAME: this.eventBusName },
      statements: () => [new PolicyStatement({ actions: ['events:PutEvents'], resources: [this.eventBusArn] })],
    };
  }
}
