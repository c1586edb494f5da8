import {
  CloudWatchLogsClient,
  ConflictException,
  CreateDeliveryCommand,
  DeleteDeliveryCommand,
  DeleteDeliveryDestinationCommand,
  DeleteDeliverySourceCommand,
  DescribeDeliveriesCommand,
  PutDeliveryDestinationCommand,
  PutDeliverySourceCommand,
  ResourceNotFoundException,
  UpdateDeliveryConfigurationCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import * as z from 'zod';
import { log } from '../../common/log.ts';
import { customResource, isDenied, repeat } from './custom-resource.ts';

/** The logs of CloudFront can be configured in this region only, whatever the region of the stack. */
const client = new CloudWatchLogsClient({ region: 'us-east-1' });

const input = z.object({
  Name: z.string(),
  DistributionArn: z.string(),
  /** the ARN of the bucket, with the prefix of the logs */
  DestinationArn: z.string(),
  RecordFields: z.array(z.string()),
});

/**
 * A custom resource: the delivery of the distribution's access log to the bucket. CloudFormation has resources for it,
 * but only a stack in us-east-1 can use them for CloudFront.
 */
export const handler = customResource({
  physicalId: 'edge-log',
  provide: async (properties) => {
    const { Name, DistributionArn, DestinationArn, RecordFields } = input.parse(properties);
    await client.send(
      new PutDeliverySourceCommand({ name: Name, resourceArn: DistributionArn, logType: 'ACCESS_LOGS' }),
    );
    const { deliveryDestination } = await client.send(
      new PutDeliveryDestinationCommand({
        name: Name,
        outputFormat: 'json',
        deliveryDestinationConfiguration: { destinationResourceArn: DestinationArn },
      }),
    );
    await keepDelivery(Name, deliveryDestination?.arn, RecordFields);
    return {};
  },
  // CreateDelivery checks the policy of the bucket, which takes effect some seconds after its creation.
  isTransient: ({ name }) => name === 'ValidationException' || name === 'ConflictException',
  remove: async (properties) => {
    const name = input.safeParse(properties).data?.Name;
    // A creation that failed before it did anything.
    if (name === undefined) return;
    await leaveIfDenied('delivery', async () => {
      const id = await findDelivery(name);
      if (id !== undefined) await client.send(new DeleteDeliveryCommand({ id }));
    });
    // Both are in use for some seconds after the deletion of the delivery.
    await leaveIfDenied('destination', () => client.send(new DeleteDeliveryDestinationCommand({ name })));
    await leaveIfDenied('source', () => client.send(new DeleteDeliverySourceCommand({ name })));
  },
});

async function keepDelivery(name: string, destinationArn: string | undefined, recordFields: string[]): Promise<void> {
  try {
    await client.send(
      new CreateDeliveryCommand({ deliverySourceName: name, deliveryDestinationArn: destinationArn, recordFields }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    const id = await findDelivery(name);
    // The conflict is another one, such as a change that has not ended.
    if (id === undefined) throw error;
    await client.send(new UpdateDeliveryConfigurationCommand({ id, recordFields }));
  }
}

async function findDelivery(name: string): Promise<string | undefined> {
  let nextToken: string | undefined;
  do {
    const page = await client.send(new DescribeDeliveriesCommand({ ...(nextToken !== undefined && { nextToken }) }));
    const found = page.deliveries?.find(({ deliverySourceName }) => deliverySourceName === name);
    if (found) return found.id;
    ({ nextToken } = page);
  } while (nextToken !== undefined);
  return undefined;
}

/**
 * Deletes a part of the log's delivery that may be missing already. What the function may not delete stays, which costs
 * nothing: a failure would end the deletion of the stack, and a rollback, in a state that only an operator can leave.
 */
async function leaveIfDenied(part: string, deletion: () => Promise<unknown>): Promise<void> {
  try {
    await repeat(deletion, (error) => error instanceof ConflictException);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return;
    if (!isDenied(error as Error)) throw error;
    log.warn('log delivery kept', { part, error: error as Error });
  }
}
