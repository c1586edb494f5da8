import { z } from 'zod';
import type { DeployedTemplate } from '../deployed-template.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html

const defaultSuffixPath = 'AWSLogs/{account-id}/CloudFront/';
const sourceProperties = z.object({ Name: z.string(), ResourceArn: z.string(), LogType: z.literal('ACCESS_LOGS') });
const destinationProperties = z.object({ DestinationResourceArn: z.string(), OutputFormat: z.literal('json') });
const deliveryProperties = z.object({
  DeliverySourceName: z.string(),
  DeliveryDestinationArn: z.string(),
  RecordFields: z.array(z.string()).optional(),
  S3SuffixPath: z.string().default(defaultSuffixPath),
  S3EnableHiveCompatiblePath: z.literal(false).optional(),
});

/** The properties of a custom resource that creates the three in the only region that has them for CloudFront. */
const customProperties = z.object({
  Name: z.string(),
  DistributionArn: z.string(),
  DestinationArn: z.string(),
  RecordFields: z.array(z.string()).optional(),
});

/** Where CloudWatch delivers the access logs of a resource. */
export type LogDelivery = {
  sourceName: string;
  bucket: string;
  /** Of the destination, without a slash at its end. */
  prefix: string;
  /** May contain variables, such as `{DistributionId}` and `{yyyy}`. */
  suffixPath: string;
  /** Undefined: the fields that a delivery has without a list. */
  fields: string[] | undefined;
};

/** The deliveries of access logs to buckets, by the ARN of the resource that they are about. */
export function readLogDeliveries(template: DeployedTemplate): Map<string, LogDelivery> {
  const sources = template
    .resources('AWS::Logs::DeliverySource')
    .map(({ properties }) => sourceProperties.parse(properties));
  const destinations = new Map(
    template
      .resources('AWS::Logs::DeliveryDestination')
      .map(({ arn, properties }) => [arn, destinationProperties.parse(properties)]),
  );
  const own = template.resources('AWS::Logs::Delivery').map(({ logicalId, properties }) => {
    const delivery = deliveryProperties.parse(properties);
    const source = sources.find(({ Name }) => Name === delivery.DeliverySourceName);
    const destination = destinations.get(delivery.DeliveryDestinationArn);
    if (!source || !destination) throw new Error(`The log delivery ${logicalId} has no source or no destination.`);
    const { S3SuffixPath: suffixPath, RecordFields: fields } = delivery;
    return [
      source.ResourceArn,
      { sourceName: source.Name, ...bucketOf(destination.DestinationResourceArn), suffixPath, fields },
    ] as const;
  });
  const custom = template.resources('Custom::EdgeAccessLog').map(({ properties }) => {
    const { Name, DistributionArn, DestinationArn, RecordFields: fields } = customProperties.parse(properties);
    return [
      DistributionArn,
      { sourceName: Name, ...bucketOf(DestinationArn), suffixPath: defaultSuffixPath, fields },
    ] as const;
  });
  return new Map([...own, ...custom]);
}

export function bucketOf(destinationArn: string): { bucket: string; prefix: string } {
  const [bucket = '', ...prefix] = destinationArn.replace(/^arn:[^:]+:s3:::/, '').split('/');
  return { bucket, prefix: prefix.filter(Boolean).join('/') };
}
