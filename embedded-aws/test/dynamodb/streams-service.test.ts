import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeItems } from '../../src/dynamodb/items/item-writes.ts';
import { shardIds } from '../../src/dynamodb/storage/change-streams.ts';
import { createStreamsService, streamsTarget } from '../../src/dynamodb/streams-service.ts';
import type { Policy } from '../../src/iam/policy.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';
import { credentials } from '../../src/testing/serve-control.ts';
import { askService } from '../ask-service.ts';
import { streamedTable } from './dynamo-server.ts';
import { openContext } from './open-context.ts';

const StreamArn = streamedTable.stream!.arn;
let nowMs = Date.parse('2026-03-01T10:00:00Z');
let opened: Awaited<ReturnType<typeof openContext>>;
beforeEach(async () => {
  opened = await openContext({ tables: [streamedTable], nowMs: () => nowMs });
});
afterEach(() => opened.close());

async function call(operation: string, input: object = {}, policy?: Policy) {
  const targets = new Map([[streamsTarget, createStreamsService(opened.context)]]);
  const find = createPrincipalLookup(createPrincipal(credentials, policy));
  const headers = { 'x-amz-target': `${streamsTarget}.${operation}` };
  const services = { targets, find };
  const { status, text } = await askService({ services, service: 'dynamodb', headers, body: JSON.stringify(input) });
  const answer = JSON.parse(text);
  return status === 200 ? answer : { error: String(answer.__type).split('#')[1] };
}

const put = (sk: string, more: object = {}) =>
  writeItems(opened.context, 'PutItem', { TableName: 'things', Item: { pk: { S: 'p' }, sk: { S: sk }, ...more } });

async function read(input: object, limit?: number): Promise<{ sks: string[]; next: string; records: never[] }> {
  const { NextShardIterator: next, Records } = await call('GetRecords', { ...input, ...(limit && { Limit: limit }) });
  const sks = Records.map(({ dynamodb }: { dynamodb: { Keys: { sk: { S: string } } } }) => dynamodb.Keys.sk.S);
  return { sks, next, records: Records };
}

/** The shard of the partition key that the tests write. */
async function shardWithRecords(): Promise<{ StreamArn: string; ShardId: string }> {
  for (const ShardId of shardIds) {
    const iterator = await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    if ((await read(iterator)).sks.length > 0) return { StreamArn, ShardId };
  }
  throw new Error('no shard has a record');
}

test('a stream is listed and described with its shards', async () => {
  const listed = { StreamArn, TableName: 'things', StreamLabel: '2026-01-01T00:00:00.000' };
  expect(await call('ListStreams', { TableName: 'things' })).toEqual({ Streams: [listed] });
  expect(await call('ListStreams', { TableName: 'other' })).toEqual({ Streams: [] });
  const { StreamDescription } = await call('DescribeStream', { StreamArn });
  expect(StreamDescription).toMatchObject({ StreamStatus: 'ENABLED', StreamViewType: 'NEW_AND_OLD_IMAGES' });
  expect(StreamDescription.Shards.map(({ ShardId }: { ShardId: string }) => ShardId)).toEqual(shardIds);
});

test('iterators start where they say, and continue after the last record', async () => {
  for (const sk of ['1', '2', '3']) await put(sk);
  const shard = await shardWithRecords();
  const first = await read(await call('GetShardIterator', { ...shard, ShardIteratorType: 'TRIM_HORIZON' }), 2);
  expect(first.sks).toEqual(['1', '2']);
  expect((await read({ ShardIterator: first.next })).sks).toEqual(['3']);
  const [, second] = first.records as { dynamodb: { SequenceNumber: string } }[];
  const SequenceNumber = second!.dynamodb.SequenceNumber;
  const at = { ...shard, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber };
  expect((await read(await call('GetShardIterator', at))).sks).toEqual(['2', '3']);
  const after = { ...at, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' };
  expect((await read(await call('GetShardIterator', after))).sks).toEqual(['3']);
  const latest = await call('GetShardIterator', { ...shard, ShardIteratorType: 'LATEST' });
  await put('4');
  expect((await read(latest)).sks).toEqual(['4']);
});

test('an answer has at most 1 MB', async () => {
  for (const sk of ['1', '2', '3']) await put(sk, { text: { S: 'x'.repeat(390_000) } });
  const iterator = await call('GetShardIterator', { ...(await shardWithRecords()), ShardIteratorType: 'TRIM_HORIZON' });
  const { sks, next } = await read(iterator);
  expect(sks).toEqual(['1', '2']);
  expect((await read({ ShardIterator: next })).sks).toEqual(['3']);
});

test('old sequence numbers, old iterators and unknown places are refused', async () => {
  await put('1');
  const shard = await shardWithRecords();
  const iterator = await call('GetShardIterator', { ...shard, ShardIteratorType: 'TRIM_HORIZON' });
  const [record] = (await read(iterator)).records as { dynamodb: { SequenceNumber: string } }[];
  nowMs += 15 * 60 * 1000 + 1;
  expect(await call('GetRecords', iterator)).toEqual({ error: 'ExpiredIteratorException' });
  nowMs += 24 * 3600 * 1000;
  const at = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: record!.dynamodb.SequenceNumber };
  expect(await call('GetShardIterator', { ...shard, ...at })).toEqual({ error: 'TrimmedDataAccessException' });
  const unknown = { ...shard, ShardIteratorType: 'LATEST' };
  for (const input of [
    { ...unknown, ShardId: 'shardId-9' },
    { ...unknown, StreamArn: 'arn' },
  ]) {
    expect(await call('GetShardIterator', input)).toEqual({ error: 'ResourceNotFoundException' });
  }
  expect(await call('GetRecords', { ShardIterator: 'x' })).toEqual({ error: 'ValidationException' });
  expect(await call('GetRecords', { ...iterator, Limit: 1001 })).toEqual({ error: 'ValidationException' });
});

test('each operation needs its permission on the stream', async () => {
  const ShardIterator = (
    await call('GetShardIterator', { StreamArn, ShardId: shardIds[0], ShardIteratorType: 'LATEST' })
  ).ShardIterator;
  const inputs = {
    ListStreams: {},
    DescribeStream: { StreamArn },
    GetShardIterator: { StreamArn, ShardId: shardIds[0], ShardIteratorType: 'LATEST' },
    GetRecords: { ShardIterator },
  };
  for (const [operation, input] of Object.entries(inputs)) {
    const needed = operation === 'ListStreams' ? '*' : StreamArn;
    const allowed: Policy = ({ action, resource }) => action === `dynamodb:${operation}` && resource === needed;
    expect(await call(operation, input, allowed)).not.toHaveProperty('error');
    expect(await call(operation, input, (request) => !allowed(request))).toEqual({ error: 'AccessDeniedException' });
  }
});
