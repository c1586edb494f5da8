import type { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ServiceFunction } from '../function.ts';

/** The stream of the table. Its records have the item after the change. Reads by Lambda are free. */
export type TableStream = { arn: string; tableArn: string };

export type StreamDelivery = {
  /** An event pattern for records. All others are not delivered and cost nothing. */
  filter: Record<string, unknown>;
  batchSize: number;
  /** For failures of the function. A record that is given up goes to `undelivered`. */
  retryAttempts: number;
  maxRecordAge: Duration;
  undelivered: Queue;
};

/**
 * Invokes a function with records of the stream, at least once and per item in order. Its response names the first
 * record that failed (`batchItemFailures`); if it throws, the batch is split.
 */
export function deliverRecords(
  handler: ServiceFunction,
  stream: TableStream,
  { filter, batchSize, retryAttempts, maxRecordAge, undelivered }: StreamDelivery,
): EventSourceMapping {
  handler.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      // A restored table has a stream with another timestamp.
      resources: [stream.arn, `${stream.tableArn}/stream/*`],
    }),
  );
  handler.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
  // The SqsDlq of CDK would also grant permission to read the attributes of the queue.
  handler.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [undelivered.queueArn] }));
  return new EventSourceMapping(handler, 'records', {
    target: handler,
    eventSourceArn: stream.arn,
    // LATEST would miss records that are written while the mapping is created.
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: [FilterCriteria.filter(filter)],
    batchSize,
    retryAttempts,
    maxRecordAge,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    onFailure: { bind: () => ({ destination: undelivered.queueArn }) },
  });
}
