import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TableSettings } from '../../src/dynamodb/dynamodb-server.ts';
import { type RunningDynamo, startDynamo, temporaryFolder, thingsTable } from './dynamo-server.ts';

const TableName = 'things';
const { globalSecondaryIndexes: indexes = [], timeToLiveAttribute: _, ...bareTable } = thingsTable;
let folder: string;
let running: RunningDynamo | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await running?.stop({ keepFolder: true });
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Closes the database and opens the same folder with these tables. */
async function open(tables: TableSettings[], now?: () => number) {
  await running?.stop({ keepFolder: true });
  running = await startDynamo({ folder, tables, ...(now && { now }) });
  return running;
}

async function owned(owner: string, IndexName = 'by-owner') {
  const answer = await running!.documents.query({
    TableName,
    IndexName,
    KeyConditionExpression: '#o = :o',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':o': owner },
  });
  return answer.Items;
}

test('items are kept when the folder is opened again', async () => {
  await open([thingsTable]);
  await running!.documents.put({ TableName, Item: { pk: 'a', sk: '1', owner: 'ann' } });
  await open([thingsTable]);
  expect((await running!.documents.get({ TableName, Key: { pk: 'a', sk: '1' } })).Item).toMatchObject({ owner: 'ann' });
  expect(await owned('ann')).toHaveLength(1);
});

test('a new index is filled from the items', async () => {
  await open([bareTable]);
  for (let n = 0; n < 30; n++) {
    await running!.documents.put({ TableName, Item: { pk: 'a', sk: `${n}`, ...(n % 3 === 0 && { owner: 'ann' }) } });
  }
  await running!.documents.put({ TableName, Item: { pk: 'b', sk: 'owned by a number', owner: 5 } });
  await open([thingsTable]);
  expect(await owned('ann')).toHaveLength(10);
});

test('a changed index is rebuilt, and a removed index can be added again', async () => {
  const [byOwner] = indexes;
  await open([thingsTable]);
  await running!.documents.put({ TableName, Item: { pk: 'a', sk: '1', owner: 'ann', note: 'x' } });
  await open([
    {
      ...bareTable,
      globalSecondaryIndexes: [{ ...byOwner!, Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] } }],
    },
  ]);
  expect(await owned('ann')).toEqual([{ pk: 'a', sk: '1', owner: 'ann', note: 'x' }]);
  await open([bareTable]);
  await expect(owned('ann')).rejects.toMatchObject({ name: 'ValidationException' });
  await running!.documents.put({ TableName, Item: { pk: 'a', sk: '1', owner: 'bob' } });
  await open([thingsTable]);
  expect([await owned('ann'), await owned('bob')]).toEqual([[], [{ pk: 'a', sk: '1', owner: 'bob' }]]);
});

test('a changed key is rejected, because the items would be unreachable', async () => {
  await open([bareTable]);
  await running!.stop({ keepFolder: true });
  running = undefined;
  const changed = { ...bareTable, keySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] };
  await expect(startDynamo({ folder, tables: [changed] })).rejects.toThrow(
    'The key of table things changed from pk (S), sk (S) to pk (S)',
  );
  await open([bareTable]);
});

test('a folder that is open cannot be opened again', async () => {
  await open([bareTable]);
  await expect(startDynamo({ folder })).rejects.toThrow(`${folder} is in use by another process`);
});

test('tables are listed in pages, without those that have no definition', async () => {
  const named = (name: string) => ({ ...bareTable, name });
  await open(['ccc', 'aaa', 'bbb'].map(named));
  const { client } = await open(['ccc', 'aaa', 'ddd'].map(named));
  const first = await client.send(new ListTablesCommand({ Limit: 2 }));
  const rest = await client.send(new ListTablesCommand({ ExclusiveStartTableName: first.LastEvaluatedTableName }));
  expect([first.TableNames, rest.TableNames, rest.LastEvaluatedTableName]).toEqual([
    ['aaa', 'ccc'],
    ['ddd'],
    undefined,
  ]);
  await expect(client.send(new DescribeTableCommand({ TableName: 'bbb' }))).rejects.toThrow(ResourceNotFoundException);
});

test('a table is described with its keys, indexes and items', async () => {
  const { client, documents } = await open([thingsTable]);
  await documents.put({ TableName, Item: { pk: 'a', sk: '1' } });
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    TableName,
    TableStatus: 'ACTIVE',
    TableArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/things',
    ItemCount: 1,
    KeySchema: thingsTable.keySchema,
    GlobalSecondaryIndexes: [{ IndexName: 'by-owner', IndexStatus: 'ACTIVE' }, { IndexName: 'by-rank' }],
  });
});

test('expired items are removed with their index entries', async () => {
  const nowSeconds = 1_800_000_000;
  let nowMs = nowSeconds * 1000;
  const { documents } = await open([thingsTable], () => nowMs);
  const expiring: Record<string, unknown> = {
    later: nowSeconds + 100,
    soon: nowSeconds + 10,
    'in milliseconds': nowMs,
    'long ago': 5,
    'not a number': '5',
    never: undefined,
  };
  for (const [sk, expiresAt] of Object.entries(expiring)) {
    await documents.put({ TableName, Item: { pk: 'a', sk, owner: 'ann', expiresAt } });
  }
  await documents.put({ TableName, Item: { pk: 'a', sk: 'extended', owner: 'ann', expiresAt: nowSeconds + 10 } });
  await documents.put({ TableName, Item: { pk: 'a', sk: 'extended', owner: 'ann', expiresAt: nowSeconds + 1000 } });
  nowMs += 11_000;
  while ((await documents.get({ TableName, Key: { pk: 'a', sk: 'soon' } })).Item) await setTimeout(20);
  const left = ['extended', 'in milliseconds', 'later', 'long ago', 'never', 'not a number'];
  expect((await owned('ann'))?.map(({ sk }) => sk)).toEqual(left);
});

test('more expired items than one batch are all removed', async () => {
  const { documents } = await open([thingsTable], () => 1_800_000_000_000);
  for (let n = 0; n < 10; n++) {
    const puts = Array.from({ length: 25 }, (_, m) => ({
      PutRequest: { Item: { pk: 'a', sk: `${n}-${m}`, expiresAt: 1_799_999_999 } },
    }));
    await documents.batchWrite({ RequestItems: { [TableName]: puts } });
  }
  while ((await documents.scan({ TableName })).Count) await setTimeout(20);
});

test('the time-to-live attribute can be read and changed', async () => {
  let nowMs = 1_800_000_000_000;
  const { client, documents } = await open([thingsTable], () => nowMs);
  const describe = async () => (await client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
  const change = (AttributeName: string, Enabled: boolean) =>
    client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } }));
  expect(await describe()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });
  await expect(change('expiresAt', true)).rejects.toMatchObject({ name: 'ValidationException' });
  await change('expiresAt', false);
  expect(await describe()).toEqual({ TimeToLiveStatus: 'DISABLED' });
  await documents.put({ TableName, Item: { pk: 'a', sk: '1', until: 1_800_000_001 } });
  await change('until', true);
  nowMs += 5000;
  while ((await documents.get({ TableName, Key: { pk: 'a', sk: '1' } })).Item) await setTimeout(20);
});
