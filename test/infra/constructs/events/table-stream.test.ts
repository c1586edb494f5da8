import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type Template as Read, readTemplate } from 'embedded-aws';
import { expect, test } from 'vitest';
import { deliverRecords } from '../../../../infra/constructs/events/table-stream.ts';
import { ServiceFunction } from '../../../../infra/constructs/function.ts';
import type { Storage } from '../../../../infra/constructs/storage.ts';
import { settingsOf } from '../../../../infra/settings.ts';
import { stackOf } from '../../synthesised.ts';

const stack = stackOf('dev');
const settings = settingsOf('dev');
const storage = stack.node.findChild('Storage') as Storage;
const handler = new ServiceFunction(stack, 'schedule/reads-records', { settings, size: 'step', description: 'Test' });
const filter = { eventName: ['INSERT'], dynamodb: { NewImage: { pk: { S: [{ prefix: 'EVENT#' }] } } } };
deliverRecords(handler, storage.stream, {
  filter,
  batchSize: 10,
  retryAttempts: 3,
  maxRecordAge: Duration.hours(1),
  undelivered: new Queue(stack, 'Undelivered'),
});
const template = Template.fromStack(stack);

const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: 'http://127.0.0.1:3000' };
const deployed = readTemplate(template.toJSON() as Read, place);

const mappings = deployed.eventSourceMappings().filter(({ functionName }) => functionName.includes('reads-records'));

test('the embedded AWS reads the mapping, and the stream is that of the table', () => {
  const [table] = deployed.tables();
  expect(table!.stream!.viewType).toBe('NEW_IMAGE');
  expect(mappings).toMatchObject([
    {
      functionName: 'video-service-dev-reads-records',
      streamArn: table!.stream!.arn,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 10,
      maxRetries: 3,
      maxAgeSeconds: 3600,
      bisects: true,
      reportsItemFailures: true,
      filters: [filter],
      onFailureQueueArn: expect.stringMatching(/^arn:aws:sqs:.*Undelivered/),
    },
  ]);
});

test('the function may read the stream and send to the queue, and not read the table', () => {
  const role = deployed.resources('AWS::IAM::Role').find(({ logicalId }) => logicalId.startsWith('readsrecordsrole'))!;
  const policy = deployed.policyOf(role.ref, 'lambda.amazonaws.com');
  const [{ streamArn, onFailureQueueArn }] = mappings as [(typeof mappings)[number]];
  const isAllowed = (action: string, resource: string) => policy({ action, resource, context: {} });
  for (const action of ['DescribeStream', 'GetRecords', 'GetShardIterator']) {
    expect(isAllowed(`dynamodb:${action}`, streamArn)).toBe(true);
  }
  expect(isAllowed('dynamodb:ListStreams', '*')).toBe(true);
  expect(isAllowed('sqs:SendMessage', onFailureQueueArn!)).toBe(true);
  expect(isAllowed('dynamodb:GetItem', streamArn.split('/stream/')[0]!)).toBe(false);
  expect(isAllowed('sqs:ReceiveMessage', onFailureQueueArn!)).toBe(false);
});

test('the bus has the name of the stage', () => {
  template.hasResourceProperties('AWS::Events::EventBus', { Name: 'video-service-dev' });
});
