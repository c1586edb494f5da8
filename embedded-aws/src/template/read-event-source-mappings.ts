import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { type EventPattern, requirePattern } from './event-pattern.ts';

// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html

export type EventSourceMapping = ReturnType<typeof eventSourceMapping>;

/** Of these settings, -1 means that there is no limit except the retention of records. */
const unlimited = -1;
const retentionSeconds = 24 * 3600;
const maxPatternLength = 4096;
/** The default quota of filters in a mapping. */
const maxFilters = 5;

const filterPattern = z.string().max(maxPatternLength).transform(parsePattern);
const destination = z.string().regex(/^arn:[^:]+:sqs:/, 'only queues are supported as destinations');

// Strict, because other settings, such as tumbling windows, are not supported.
const mappingProperties = z.strictObject({
  FunctionName: z.string(),
  EventSourceArn: z.string().regex(/:table\/[^/]+\/stream\/[^/]+$/, 'only streams of tables are supported'),
  Enabled: z.boolean().default(true),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  BatchSize: z.int().min(1).max(10_000).default(100),
  MaximumBatchingWindowInSeconds: z.int().min(0).max(300).default(0),
  ParallelizationFactor: z.int().min(1).max(10).default(1),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.int().min(unlimited).max(10_000).default(unlimited),
  MaximumRecordAgeInSeconds: z
    .int()
    .max(604_800)
    .refine((seconds) => seconds === unlimited || seconds >= 60, 'must be -1 or at least 60')
    .default(unlimited),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).max(1).default([]),
  DestinationConfig: z.strictObject({ OnFailure: z.strictObject({ Destination: destination }).optional() }).default({}),
  FilterCriteria: z
    .strictObject({
      Filters: z
        .array(z.strictObject({ Pattern: filterPattern }))
        .max(maxFilters)
        .default([]),
    })
    .prefault({}),
  Tags: z.unknown().optional(),
});

/** The mappings of the template that read streams of tables. */
export function readEventSourceMappings(template: DeployedTemplate) {
  return template.resources('AWS::Lambda::EventSourceMapping').map(({ logicalId, properties }) => {
    try {
      return eventSourceMapping(properties);
    } catch (error) {
      throw new Error(`The event source mapping ${logicalId} is not valid: ${(error as Error).message}`);
    }
  });
}

/** A mapping with the properties of CloudFormation, which are those of CreateEventSourceMapping. @throws Error */
export function eventSourceMapping(properties: unknown) {
  const mapping = mappingProperties.safeParse(properties);
  if (!mapping.success) throw new Error(z.prettifyError(mapping.error));
  const { data } = mapping;
  return {
    functionName: data.FunctionName.split(':').at(-1)!,
    streamArn: data.EventSourceArn,
    isEnabled: data.Enabled,
    startingPosition: data.StartingPosition,
    batchSize: data.BatchSize,
    batchingWindowSeconds: data.MaximumBatchingWindowInSeconds,
    parallelization: data.ParallelizationFactor,
    bisects: data.BisectBatchOnFunctionError,
    maxRetries: data.MaximumRetryAttempts === unlimited ? Number.POSITIVE_INFINITY : data.MaximumRetryAttempts,
    maxAgeSeconds:
      data.MaximumRecordAgeInSeconds === unlimited
        ? retentionSeconds
        : Math.min(data.MaximumRecordAgeInSeconds, retentionSeconds),
    reportsItemFailures: data.FunctionResponseTypes.length > 0,
    onFailureQueueArn: data.DestinationConfig.OnFailure?.Destination,
    /** A record is delivered if it matches one of them, or if there are none. */
    filters: data.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
  };
}

function parsePattern(text: string, context: z.RefinementCtx): EventPattern {
  try {
    const pattern: unknown = JSON.parse(text);
    requirePattern(pattern);
    return pattern;
  } catch (error) {
    context.addIssue(`the filter pattern ${text} is not valid: ${(error as Error).message}`);
    return z.NEVER;
  }
}
