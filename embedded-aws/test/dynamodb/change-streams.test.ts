import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import type { TableSettings } from '../../src/dynamodb/dynamodb-server.ts';
import { type WriteName, writeItems } from '../../src/dynamodb/items/item-writes.ts';
import { retentionMs, type StreamEntry, shardIds } from '../../src/dynamodb/storage/change-streams.ts';
import type { StreamViewType } from '../../src/dynamodb/storage/stream-record.ts';
import { describeTable } from '../../src/dynamodb/storage/table-definitions.ts';
import { removeExpired } from '../../src/dynamodb/time-to-live.ts';
import { transactWrite } from '../../src/dynamodb/transactions/transact-write.ts';
import { temporaryFolder, thingsTable } from './dynamo-server.ts';
import { openContext } from './open-context.ts';

const TableName = 'things';
const arn = 'arn:aws:dynamodb:eu-west-1:000000000000:table/things/stream/2026-01-01T00:00:00.000';
const tableWith = (viewType: StreamViewType): TableSettings => ({ ...thingsTable, stream: { arn, viewType } });
const dayMs = 24 * 3600 * 1000;

let nowMs = Date.parse('2026-03-01T10:00:00.500Z');
let opened: Awaited<ReturnType<typeof openContext>> | undefined;
const folders: string[] = [];
afterEach(async () => {
  await opened?.close({ keepFolder: true });
  opened = undefined;
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Opens a table with a stream, in the same folder when there is one. */
async function open(viewType: StreamViewType = 'NEW_AND_OLD_IMAGES', tables = [tableWith(viewType)]) {
  const folder = opened?.folder ?? (await temporaryFolder());
  if (!opened) folders.push(folder);
  await opened?.close({ keepFolder: true });
  opened = await openContext({ folder, tables, nowMs: () => nowMs });
  return opened.context;
}

const write = (name: WriteName, input: object) => writeItems(opened!.context, name, { ...input });
const item = (pk: string, sk: string, more: object = {}) => ({ pk: { S: pk }, sk: { S: sk }, ...more });
const put = (Item: object) => write('PutItem', { TableName, Item });

/** The records of all shards in the order of their sequence numbers. */
async function records(): Promise<StreamEntry[]> {
  const { context } = opened!;
  const table = context.tables.get(TableName)!;
  const shards = await Promise.all(shardIds.map((shardId) => context.streams.read(table, shardId, undefined, 1000)));
  return shards.flat().sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
}

const named = async () =>
  (await records()).map(({ record }) => [record.eventName, record.dynamodb.Keys.sk!.S, Object.keys(record.dynamodb)]);

test('each change of an item has a record with its images', async () => {
  await open();
  await put(item('a', '1', { n: { N: '1' } }));
  await write('UpdateItem', {
    TableName,
    Key: item('a', '1'),
    UpdateExpression: 'SET n = :n',
    ExpressionAttributeValues: { ':n': { N: '2' } },
  });
  await write('DeleteItem', { TableName, Key: item('a', '1') });
  const [inserted, modified, removed] = (await records()).map(({ record }) => record);
  expect(inserted).toEqual({
    eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-west-1',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(nowMs / 1000),
      Keys: item('a', '1'),
      NewImage: item('a', '1', { n: { N: '1' } }),
      SequenceNumber: expect.stringMatching(/^\d{21}$/),
      SizeBytes: expect.any(Number),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  });
  expect(modified).toMatchObject({
    eventName: 'MODIFY',
    dynamodb: { OldImage: { n: { N: '1' } }, NewImage: { n: { N: '2' } } },
  });
  expect(removed).toMatchObject({ eventName: 'REMOVE', dynamodb: { OldImage: { n: { N: '2' } } } });
  expect(removed!.dynamodb).not.toHaveProperty('NewImage');
});

test.each([
  ['KEYS_ONLY', []],
  ['NEW_IMAGE', ['NewImage']],
  ['OLD_IMAGE', ['OldImage']],
  ['NEW_AND_OLD_IMAGES', ['NewImage', 'OldImage']],
] as const)('a stream with %s has the images %j', async (viewType, images) => {
  await open(viewType);
  await put(item('a', '1'));
  await put(item('a', '1', { n: { N: '1' } }));
  const [, changed] = await named();
  expect((changed![2] as string[]).filter((name) => name.endsWith('Image'))).toEqual(images);
});

test('a write that changes nothing has no record', async () => {
  await open();
  const Item = item('a', '1', {
    tags: { SS: ['x', 'y'] },
    nested: { M: { l: { L: [{ N: '1' }] }, b: { BOOL: true } } },
  });
  await put(Item);
  await put({ ...Item, tags: { SS: ['y', 'x'] } });
  await write('UpdateItem', {
    TableName,
    Key: item('a', '1'),
    UpdateExpression: 'SET nested.b = :b REMOVE nothingHere',
    ExpressionAttributeValues: { ':b': { BOOL: true } },
  });
  await write('DeleteItem', { TableName, Key: item('a', 'absent') });
  const refused = write('PutItem', { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' });
  await expect(refused).rejects.toThrow('conditional');
  expect(await records()).toHaveLength(1);
  await put({ ...Item, tags: { SS: ['x', 'z'] } });
  expect(await records()).toHaveLength(2);
});

test('batches and transactions have a record for each changed item, and a cancelled one has none', async () => {
  await open();
  await write('BatchWriteItem', {
    RequestItems: { [TableName]: ['1', '2'].map((sk) => ({ PutRequest: { Item: item('a', sk) } })) },
  });
  const steps = [
    { Put: { TableName, Item: item('b', '3') } },
    { Delete: { TableName, Key: item('a', '1') } },
    { ConditionCheck: { TableName, Key: item('a', '2'), ConditionExpression: 'attribute_exists(pk)' } },
  ];
  await transactWrite(opened!.context, { TransactItems: steps });
  await expect(
    transactWrite(opened!.context, {
      TransactItems: [
        { Put: { TableName, Item: item('c', '4') } },
        { ConditionCheck: { TableName, Key: item('a', '1'), ConditionExpression: 'attribute_exists(pk)' } },
      ],
    }),
  ).rejects.toThrow('cancelled');
  expect((await named()).map(([name, sk]) => `${name} ${sk}`)).toEqual([
    'INSERT 1',
    'INSERT 2',
    'INSERT 3',
    'REMOVE 1',
  ]);
});

test('an item keeps its shard and its order, and partition keys are spread over the shards', async () => {
  await open();
  for (let n = 0; n < 40; n += 1) {
    for (const value of ['1', '2']) await put(item(`p${n}`, 'x', { n: { N: value } }));
  }
  const found = await records();
  expect(new Set(found.map(({ shardId }) => shardId)).size).toBe(4);
  for (let n = 0; n < 40; n += 1) {
    const own = found.filter(({ record }) => record.dynamodb.Keys.pk!.S === `p${n}`);
    expect(new Set(own.map(({ shardId }) => shardId)).size).toBe(1);
    expect(own.map(({ record }) => record.dynamodb.NewImage!.n!.N)).toEqual(['1', '2']);
  }
});

test('an item that expires has a record of the service', async () => {
  await open();
  await put(item('a', '1', { expiresAt: { N: String(Math.floor(nowMs / 1000) + 60) } }));
  nowMs += 120_000;
  await removeExpired(opened!.context);
  const found = (await records()).map(({ record }) => [record.eventName, record.userIdentity]);
  expect(found).toEqual([
    ['INSERT', undefined],
    ['REMOVE', { type: 'Service', principalId: 'dynamodb.amazonaws.com' }],
  ]);
});

test('records are removed after a day, and later ones are still found', async () => {
  const { streams, tables } = await open();
  await put(item('a', 'old'));
  nowMs += retentionMs - 1000;
  await put(item('a', 'new'));
  await streams.trim();
  expect(await records()).toHaveLength(2);
  nowMs += 2000;
  await streams.trim();
  const [entry, ...others] = await records();
  expect([entry!.record.dynamodb.Keys.sk!.S, others]).toEqual(['new', []]);
  nowMs += dayMs;
  await streams.trim();
  await put(item('a', 'newest'));
  const read = await streams.read(tables.get(TableName)!, entry!.shardId, entry!.sequence, 10);
  expect(read.map(({ record }) => record.dynamodb.Keys.sk!.S)).toEqual(['newest']);
});

test('sequence numbers increase after a restart, also when the clock goes back', async () => {
  await open();
  await put(item('a', '1'));
  nowMs -= 3_600_000;
  await open();
  await put(item('a', '2'));
  nowMs += 3_600_000;
  expect((await named()).map(([, sk]) => sk)).toEqual(['1', '2']);
});

test('readers get the records of each commit', async () => {
  const { streams } = await open('NEW_IMAGE');
  const seen: string[] = [];
  streams.subscribe(opened!.context.tables.get(TableName)!.stream!.arn, (entries) =>
    seen.push(entries.map(({ record }) => record.dynamodb.Keys.sk!.S).join('+')),
  );
  await put(item('a', '1'));
  await put(item('a', '1'));
  await transactWrite(opened!.context, {
    TransactItems: ['2', '3'].map((sk) => ({ Put: { TableName, Item: item('a', sk) } })),
  });
  expect(seen).toEqual(['1', '2+3']);
});

test('a folder without a stream gets an empty one, and another view type empties it', async () => {
  await open('NEW_IMAGE', [thingsTable]);
  await put(item('a', '1'));
  await open('NEW_IMAGE');
  expect(await records()).toEqual([]);
  await put(item('a', '2'));
  const { database, tables } = await open('NEW_IMAGE');
  expect(await records()).toHaveLength(1);
  expect(await describeTable(database, tables.get(TableName)!, 'eu-west-1')).toMatchObject({
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    LatestStreamArn: arn,
    LatestStreamLabel: '2026-01-01T00:00:00.000',
  });
  await open('OLD_IMAGE');
  expect(await records()).toEqual([]);
});
