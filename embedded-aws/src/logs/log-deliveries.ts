import { randomUUID } from 'node:crypto';
import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-S3.html

/** CloudFront is a global service: the deliveries of its logs exist in this region only. */
export const deliveriesRegion = 'us-east-1';

type Input = Record<string, unknown>;
type Destination = { arn: string; resourceArn: string };
type Delivery = { id: string; deliverySourceName: string; deliveryDestinationArn: string; recordFields: string[] };

export type LogDeliveriesOptions = {
  accountId: string;
  /** Whether the policy of the bucket of an ARN lets the service write the logs of this source there. */
  mayWrite: (resourceArn: string, sourceArn: string) => boolean;
};

/** The service that writes delivered logs, and the list that it puts on their objects. */
export const deliveringService = 'delivery.logs.amazonaws.com';
export const deliveredAcl = 'bucket-owner-full-control';

export const deliverySourceArn = (accountId: string, name: string): string =>
  `arn:aws:logs:${deliveriesRegion}:${accountId}:delivery-source:${name}`;

/** What the policy of a bucket sees of a delivery. */
export const deliveryContext = (accountId: string, sourceArn: string) => ({
  'aws:sourceaccount': accountId,
  'aws:sourcearn': sourceArn,
  'aws:securetransport': 'true',
  's3:x-amz-acl': deliveredAcl,
});

/** Sources, destinations and the deliveries that connect them. Each action is checked for all that it touches. */
export function createLogDeliveries({ accountId, mayWrite }: LogDeliveriesOptions) {
  const sources = new Map<string, string>();
  const destinations = new Map<string, Destination>();
  const deliveries = new Map<string, Delivery>();
  const arn = (type: string, id: string) => `arn:aws:logs:${deliveriesRegion}:${accountId}:${type}:${id}`;
  const sourceArn = (name: string) => deliverySourceArn(accountId, name);
  const check = (caller: Principal, action: string, ...resources: string[]): void => {
    for (const resource of resources) authorize(caller, `logs:${action}`, resource);
  };
  const connected = ({ id, deliverySourceName, deliveryDestinationArn }: Omit<Delivery, 'recordFields'>) =>
    [arn('delivery', id), sourceArn(deliverySourceName), deliveryDestinationArn] as const;
  const requireUnused = (isUsed: (delivery: Delivery) => boolean): void => {
    if ([...deliveries.values()].some(isUsed)) throw new ServiceError('ConflictException', 'It has a delivery.');
  };

  const operations = {
    PutDeliverySource({ name, resourceArn }: Input, caller: Principal) {
      check(caller, 'PutDeliverySource', sourceArn(String(name)));
      authorize(caller, 'cloudfront:AllowVendedLogDeliveryForResource', String(resourceArn));
      sources.set(String(name), String(resourceArn));
      return { deliverySource: { name, arn: sourceArn(String(name)) } };
    },

    PutDeliveryDestination({ name, deliveryDestinationConfiguration }: Input, caller: Principal) {
      const own = arn('delivery-destination', String(name));
      check(caller, 'PutDeliveryDestination', own);
      const { destinationResourceArn } = deliveryDestinationConfiguration as Record<string, string>;
      destinations.set(String(name), { arn: own, resourceArn: destinationResourceArn! });
      return { deliveryDestination: { name, arn: own } };
    },

    CreateDelivery({ deliverySourceName, deliveryDestinationArn, recordFields }: Input, caller: Principal) {
      const source = String(deliverySourceName);
      const delivery = {
        id: randomUUID(),
        deliverySourceName: source,
        deliveryDestinationArn: String(deliveryDestinationArn),
        recordFields: recordFields as string[],
      };
      check(caller, 'CreateDelivery', ...connected(delivery));
      const destination = [...destinations.values()].find((one) => one.arn === deliveryDestinationArn);
      if (!sources.has(source) || !destination) throw notFound();
      requireUnused((one) => one.deliverySourceName === source);
      if (!mayWrite(destination.resourceArn, sourceArn(source))) {
        throw new ServiceError('ValidationException', 'The policy of the bucket does not allow the delivery.');
      }
      deliveries.set(delivery.id, delivery);
      return { delivery };
    },

    // It has no resource type.
    DescribeDeliveries(_: Input, caller: Principal) {
      check(caller, 'DescribeDeliveries', '*');
      return { deliveries: [...deliveries.values()] };
    },

    UpdateDeliveryConfiguration({ id, recordFields }: Input, caller: Principal) {
      const delivery = deliveries.get(String(id));
      if (!delivery) throw notFound();
      check(caller, 'UpdateDeliveryConfiguration', ...connected(delivery));
      deliveries.set(delivery.id, { ...delivery, recordFields: recordFields as string[] });
      return {};
    },

    DeleteDelivery({ id }: Input, caller: Principal) {
      const delivery = deliveries.get(String(id));
      if (!delivery) throw notFound();
      check(caller, 'DeleteDelivery', arn('delivery', delivery.id));
      deliveries.delete(delivery.id);
      return {};
    },

    DeleteDeliveryDestination({ name }: Input, caller: Principal) {
      const own = arn('delivery-destination', String(name));
      check(caller, 'DeleteDeliveryDestination', own);
      requireUnused((one) => one.deliveryDestinationArn === own);
      if (!destinations.delete(String(name))) throw notFound();
      return {};
    },

    DeleteDeliverySource({ name }: Input, caller: Principal) {
      check(caller, 'DeleteDeliverySource', sourceArn(String(name)));
      requireUnused((one) => one.deliverySourceName === name);
      if (!sources.delete(String(name))) throw notFound();
      return {};
    },
  };
  return {
    operations,
    /** Everything that exists: the names of sources and destinations, and the fields of the deliveries. */
    state: () => ({
      sources: [...sources.keys()],
      destinations: [...destinations.keys()],
      deliveries: [...deliveries.values()].map(({ recordFields }) => recordFields),
    }),
  };
}

const notFound = () => new ServiceError('ResourceNotFoundException', 'The specified resource does not exist.');
