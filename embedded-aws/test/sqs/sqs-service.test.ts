import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqs, type Sqs } from '../../src/sqs/sqs.ts';
import { sqsQueryService, sqsService, sqsTarget } from '../../src/sqs/sqs-service.ts';
import { createPrincipal } from '../../src/testing/create-principal.ts';
import { askService } from '../ask-service.ts';

const arn = 'arn:aws:sqs:local-1:000000000000:dead';
const url = 'https://sqs.local-1.amazonaws.com/000000000000/dead';
const queue = {
  url,
  arn,
  name: 'dead',
  retentionSeconds: 60,
  maxMessageBytes: 1024,
  visibilitySeconds: 30,
  allows: ({ sourceArn }: { sourceArn: string }) => sourceArn.endsWith('rule/uploaded'),
  denies: () => false,
};

let folder: string;
let nowMs: number;
let sqs: Sqs;
const open = () => openSqs({ path: join(folder, 'queues.journal'), queues: [queue], now: () => nowMs });
beforeEach(async () => {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  folder = await mkdtemp(join(tmpdir(), 'sqs-'));
  sqs = await open();
});
afterEach(async () => {
  await sqs.close();
  await rm(folder, { recursive: true });
});

async function call(operation: string, input: object = {}) {
  const { status, text } = await askService({
    services: { targets: new Map([[sqsTarget, sqsService(sqs)]]) },
    service: 'sqs',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${operation}` },
    body: JSON.stringify({ QueueUrl: url, ...input }),
  });
  return { status, ...JSON.parse(text) };
}
async function query(action: string, input: Record<string, string> = {}) {
  const { status, text } = await askService({
    services: { forms: new Map([['sqs', sqsQueryService(sqs)]]) },
    service: 'sqs',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ Action: action, QueueUrl: url, ...input })),
  });
  return { status, document: new XMLParser().parse(text) };
}
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const kind = { kind: { DataType: 'String', StringValue: 'upload' } };

test('a message is invisible after it was received, and gone after it was deleted', async () => {
  const sent = await call('SendMessage', { MessageBody: 'a', MessageAttributes: kind });
  expect(sent).toMatchObject({ status: 200, MD5OfMessageBody: md5('a') });
  const { Messages } = await call('ReceiveMessage', { MessageAttributeNames: ['All'], AttributeNames: ['All'] });
  expect(Messages).toEqual([
    {
      MessageId: sent.MessageId,
      ReceiptHandle: expect.any(String),
      Body: 'a',
      MD5OfBody: md5('a'),
      Attributes: {
        SentTimestamp: String(nowMs),
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: String(nowMs),
      },
      MessageAttributes: kind,
      MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
    },
  ]);
  expect(await call('ReceiveMessage')).toEqual({ status: 200 });
  nowMs += 30_000;
  const [again] = (await call('ReceiveMessage', { AttributeNames: ['ApproximateReceiveCount'] })).Messages;
  expect(again.Attributes).toEqual({ ApproximateReceiveCount: '2' });
  expect(await call('DeleteMessage', { ReceiptHandle: again.ReceiptHandle })).toEqual({ status: 200 });
  nowMs += 30_000;
  expect(await call('ReceiveMessage')).toEqual({ status: 200 });
});

test('messages survive a restart until they are older than the retention period', async () => {
  await call('SendMessage', { MessageBody: 'old' });
  nowMs += 40_000;
  await call('SendMessage', { MessageBody: 'new' });
  await sqs.close();
  sqs = await open();
  nowMs += 20_000;
  const { Attributes } = await call('GetQueueAttributes', { AttributeNames: ['ApproximateNumberOfMessages'] });
  expect(Attributes).toEqual({ ApproximateNumberOfMessages: '1' });
  const { Messages } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 });
  expect(Messages.map(({ Body }: { Body: string }) => Body)).toEqual(['new']);
});

test('a service sends only what the policy of the queue allows, up to the maximum size', async () => {
  const from = (rule: string) => ({ service: 'events.amazonaws.com', sourceArn: `arn:aws:events:::rule/${rule}` });
  await sqs.send(arn, from('uploaded'), '{}', kind);
  await expect(sqs.send(arn, from('other'), '{}')).rejects.toThrow('No policy of');
  await expect(sqs.send(arn, from('uploaded'), 'x'.repeat(1020), kind)).rejects.toThrow('larger than 1024 bytes');
  await expect(sqs.send(`${arn}-2`, from('uploaded'), '{}')).rejects.toThrow('does not exist');
  const without = createPrincipal({ accessKeyId: 'a', secretAccessKey: 'b' }, () => false);
  await expect(sqs.send(arn, { principal: without }, '{}')).rejects.toThrow(
    'not authorized to perform: sqs:SendMessage',
  );
  expect(sqs.store.counts(arn)).toEqual({ visible: 1, invisible: 0 });
});

test.each([
  ['SendMessage', { MessageBody: 'x'.repeat(1025) }, 'InvalidParameterValue'],
  ['SendMessage', { MessageBody: '' }, 'InvalidParameterValue'],
  ['ReceiveMessage', { MaxNumberOfMessages: 11 }, 'InvalidParameterValue'],
  ['ReceiveMessage', { QueueUrl: `${url}-2` }, 'QueueDoesNotExist'],
  ['DeleteMessage', { ReceiptHandle: 'mine' }, 'ReceiptHandleIsInvalid'],
  ['CreateQueue', {}, 'UnknownOperationException'],
])('%s with %j is rejected with %s', async (operation, input, error) => {
  const { status, __type } = await call(operation, input);
  expect([status, __type.split('#').at(-1)]).toEqual([400, error]);
});

test('queues are found by name', async () => {
  expect(await call('GetQueueUrl', { QueueName: 'dead' })).toEqual({ status: 200, QueueUrl: url });
  expect(await call('ListQueues', { QueueNamePrefix: 'd' })).toEqual({ status: 200, QueueUrls: [url] });
  expect(await call('ListQueues', { QueueNamePrefix: 'x' })).toEqual({ status: 200, QueueUrls: [] });
});

test('older clients use the query protocol', async () => {
  const attribute = { 'MessageAttribute.1.Name': 'kind', 'MessageAttribute.1.Value.DataType': 'String' };
  const send = { MessageBody: '<a>', ...attribute, 'MessageAttribute.1.Value.StringValue': 'upload' };
  const sent = await query('SendMessage', send);
  expect(sent.document.SendMessageResponse.SendMessageResult.MD5OfMessageBody).toBe(md5('<a>'));
  const wanted = { MaxNumberOfMessages: '10', WaitTimeSeconds: '0', 'MessageAttributeName.1': 'All' };
  const { Message } = (await query('ReceiveMessage', wanted)).document.ReceiveMessageResponse.ReceiveMessageResult;
  expect(Message).toMatchObject({
    Body: '<a>',
    MessageAttribute: { Name: 'kind', Value: { DataType: 'String', StringValue: 'upload' } },
  });
  expect((await query('DeleteMessage', { ReceiptHandle: Message.ReceiptHandle })).status).toBe(200);
  expect((await query('ReceiveMessage')).document.ReceiveMessageResponse).toHaveProperty('ReceiveMessageResult', '');
  const missing = await query('ReceiveMessage', { QueueUrl: 'https://nowhere' });
  expect([missing.status, missing.document.ErrorResponse.Error.Code]).toEqual([
    400,
    'AWS.SimpleQueueService.NonExistentQueue',
  ]);
});
