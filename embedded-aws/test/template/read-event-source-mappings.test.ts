import { expect, test } from 'vitest';
import { deployedTemplate, type Resource } from '../../src/template/deployed-template.ts';
import { readEventSourceMappings } from '../../src/template/read-event-source-mappings.ts';
import { readTables } from '../../src/template/read-tables.ts';

const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: 'http://127.0.0.1:3000' };
const streamArn = 'arn:aws:dynamodb:local-1:000000000000:table/records/stream/2026-01-01T00:00:00.000';

const table: Resource = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    TableName: 'records',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  },
};
const pattern = { eventName: ['INSERT'], dynamodb: { NewImage: { pk: { S: [{ prefix: 'EVENT#' }] } } } };
const required = {
  FunctionName: 'dispatch',
  EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
  StartingPosition: 'TRIM_HORIZON',
};
const deployed = (properties: object) =>
  deployedTemplate(
    {
      Resources: {
        Table: table,
        Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...required, ...properties } },
      },
    },
    place,
  );
const read = (properties: object) => readEventSourceMappings(deployed(properties));

test('the stream of a table is read with its ARN', () => {
  expect(readTables(deployed({}))).toMatchObject([{ stream: { arn: streamArn, viewType: 'NEW_IMAGE' } }]);
});

test('a mapping without settings has the defaults of Lambda', () => {
  expect(read({})).toEqual([
    {
      functionName: 'dispatch',
      streamArn,
      isEnabled: true,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      batchingWindowSeconds: 0,
      parallelization: 1,
      bisects: false,
      maxRetries: Number.POSITIVE_INFINITY,
      maxAgeSeconds: 86_400,
      reportsItemFailures: false,
      onFailureQueueArn: undefined,
      filters: [],
    },
  ]);
});

test('all settings are read', () => {
  const queue = 'arn:aws:sqs:local-1:000000000000:undelivered';
  const [mapping] = read({
    Enabled: false,
    BatchSize: 10,
    MaximumBatchingWindowInSeconds: 5,
    ParallelizationFactor: 2,
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 3,
    MaximumRecordAgeInSeconds: 3600,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    DestinationConfig: { OnFailure: { Destination: queue } },
    FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] },
  });
  expect(mapping).toMatchObject({
    isEnabled: false,
    batchSize: 10,
    batchingWindowSeconds: 5,
    parallelization: 2,
    bisects: true,
    maxRetries: 3,
    maxAgeSeconds: 3600,
    reportsItemFailures: true,
    onFailureQueueArn: queue,
    filters: [pattern],
  });
});

const filter = (...patterns: string[]) => ({ FilterCriteria: { Filters: patterns.map((Pattern) => ({ Pattern })) } });
test.each<[string, object]>([
  ['StartingPosition', { StartingPosition: 'AT_TIMESTAMP' }],
  ['StartingPosition', { StartingPosition: undefined }],
  ['only streams', { EventSourceArn: 'arn:aws:sqs:local-1:000000000000:queue' }],
  ['BatchSize', { BatchSize: 10_001 }],
  ['BatchSize', { BatchSize: 0 }],
  ['MaximumBatchingWindowInSeconds', { MaximumBatchingWindowInSeconds: 301 }],
  ['ParallelizationFactor', { ParallelizationFactor: 11 }],
  ['MaximumRetryAttempts', { MaximumRetryAttempts: 10_001 }],
  ['MaximumRetryAttempts', { MaximumRetryAttempts: -2 }],
  ['MaximumRecordAgeInSeconds', { MaximumRecordAgeInSeconds: 59 }],
  ['MaximumRecordAgeInSeconds', { MaximumRecordAgeInSeconds: 604_801 }],
  ['FunctionResponseTypes', { FunctionResponseTypes: ['Everything'] }],
  ['TumblingWindowInSeconds', { TumblingWindowInSeconds: 5 }],
  ['only queues', { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:local-1:000000000000:topic' } } }],
  ['Filters', filter(...Array(6).fill(JSON.stringify(pattern)))],
  ['not valid', filter('{')],
  ['must have a field', filter('{}')],
  ['must be an array', filter('{"eventName":"INSERT"}')],
  ['no alternatives', filter('{"eventName":[]}')],
  ['"like"', filter('{"eventName":[{"like":"I*"}]}')],
  ['4096', filter(JSON.stringify({ eventName: ['x'.repeat(4100)] }))],
])('a mapping is refused, and the error names %s, for %j', (named, properties) => {
  expect(() => read(properties)).toThrow(named);
});
