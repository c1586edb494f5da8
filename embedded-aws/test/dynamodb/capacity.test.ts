import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CapacityUse } from '../../src/dynamodb/storage/capacity-units.ts';
import { type RunningDynamo, startDynamo } from './dynamo-server.ts';

const TableName = 'things';
const detail = { TableName, ReturnConsumedCapacity: 'INDEXES' as const };
const kilobytes = (count: number): string => 'x'.repeat(1024 * count - 100);

let dynamo: RunningDynamo;
const metered: { operation: string; uses: readonly CapacityUse[] }[] = [];

beforeAll(async () => {
  dynamo = await startDynamo({ meter: (operation, uses) => metered.push({ operation, uses }) });
});
beforeEach(() => {
  metered.length = 0;
});
afterAll(() => dynamo.stop());

const put = async (Item: Record<string, unknown>) => (await dynamo.documents.put({ ...detail, Item })).ConsumedCapacity;
const consumed = (CapacityUnits: number, Table = CapacityUnits, indexes: Record<string, number> = {}) => ({
  TableName,
  CapacityUnits,
  Table: { CapacityUnits: Table },
  ...(Object.keys(indexes).length > 0 && {
    GlobalSecondaryIndexes: Object.fromEntries(
      Object.entries(indexes).map(([name, units]) => [name, { CapacityUnits: units }]),
    ),
  }),
});

describe('writes', () => {
  test('a unit for each KB of the larger of the items before and after', async () => {
    expect(await put({ pk: 'w', sk: '1', text: kilobytes(3) })).toEqual(consumed(3));
    expect(await put({ pk: 'w', sk: '1' })).toEqual(consumed(3));
    const key = { ...detail, Key: { pk: 'w', sk: '1' } };
    expect((await dynamo.documents.delete(key)).ConsumedCapacity).toEqual(consumed(1));
    expect((await dynamo.documents.delete(key)).ConsumedCapacity).toEqual(consumed(1));
  });

  test('an index takes a unit for a new entry, two for a moved one and none for an unchanged one', async () => {
    const item = { pk: 'i', sk: '1', owner: 'a', rank: 1 };
    expect(await put(item)).toEqual(consumed(3, 1, { 'by-owner': 1, 'by-rank': 1 }));
    expect(await put(item)).toEqual(consumed(1));
    expect(await put({ ...item, name: 'b' })).toEqual(consumed(2, 1, { 'by-rank': 1 }));
    expect(await put({ ...item, name: 'b', rank: 2 })).toEqual(consumed(3, 1, { 'by-rank': 2 }));
    expect(await put({ pk: 'i', sk: '1' })).toEqual(consumed(3, 1, { 'by-owner': 1, 'by-rank': 1 }));
  });

  test('a failed condition takes the units of the item as it is', async () => {
    await put({ pk: 'c', sk: '1', text: kilobytes(2) });
    metered.length = 0;
    const Item = { pk: 'c', sk: '1' };
    await expect(
      dynamo.documents.put({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }),
    ).rejects.toThrow();
    expect(metered).toEqual([
      { operation: 'PutItem', uses: [{ kind: 'write', table: TableName, partition: 'c', units: 2 }] },
    ]);
  });

  test('a transaction takes twice the units of each item, and of an index entry once', async () => {
    await put({ pk: 't', sk: 'checked', text: kilobytes(2) });
    const { ConsumedCapacity } = await dynamo.documents.transactWrite({
      ReturnConsumedCapacity: 'INDEXES',
      TransactItems: [
        { Put: { TableName, Item: { pk: 't', sk: '1', owner: 'a', text: kilobytes(2) } } },
        { Delete: { TableName, Key: { pk: 't', sk: 'absent' } } },
        {
          ConditionCheck: {
            TableName,
            Key: { pk: 't', sk: 'checked' },
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ],
    });
    expect(ConsumedCapacity).toEqual([consumed(11, 10, { 'by-owner': 1 })]);
  });

  test('the writes of a batch are added up', async () => {
    const RequestItems = {
      [TableName]: [
        { PutRequest: { Item: { pk: 'b', sk: '1', text: kilobytes(2) } } },
        { DeleteRequest: { Key: { pk: 'b', sk: 'absent' } } },
      ],
    };
    const answer = await dynamo.documents.batchWrite({ RequestItems, ReturnConsumedCapacity: 'TOTAL' });
    expect(answer.ConsumedCapacity).toEqual([{ TableName, CapacityUnits: 3 }]);
  });
});

describe('reads', () => {
  const key = (sk: string) => ({ pk: 'r', sk });

  beforeAll(async () => {
    for (const sk of ['1', '2', '3']) await put({ ...key(sk), owner: 'reader', text: kilobytes(3) });
  });

  test('half a unit for each 4 KB, a whole one when the read is strongly consistent', async () => {
    const get = async (sk: string, more = {}) =>
      (await dynamo.documents.get({ TableName, ReturnConsumedCapacity: 'TOTAL', Key: key(sk), ...more }))
        .ConsumedCapacity;
    expect(await get('1')).toEqual({ TableName, CapacityUnits: 0.5 });
    expect(await get('1', { ConsistentRead: true, ProjectionExpression: 'sk' })).toEqual({
      TableName,
      CapacityUnits: 1,
    });
    expect(await get('absent')).toEqual({ TableName, CapacityUnits: 0.5 });
  });

  test('the items of a query are added up and then rounded, also those that its filter removes', async () => {
    const query = async (more: object = {}) =>
      (
        await dynamo.documents.query({
          ...detail,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': 'r', ':none': 'none' },
          FilterExpression: '#o = :none',
          ExpressionAttributeNames: { '#o': 'owner' },
          ...more,
        })
      ).ConsumedCapacity;
    expect(await query()).toEqual(consumed(1.5));
    expect(await query({ ConsistentRead: true })).toEqual(consumed(3));
    const none = { ':pk': 'empty', ':none': 'none' };
    expect(await query({ ExpressionAttributeValues: none })).toEqual(consumed(0.5));
  });

  test('a query of an index takes the units of its entries', async () => {
    const { ConsumedCapacity } = await dynamo.documents.query({
      ...detail,
      IndexName: 'by-owner',
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': 'reader' },
    });
    expect(ConsumedCapacity).toEqual(consumed(0.5, 0, { 'by-owner': 0.5 }));
    expect(metered.at(-1)?.uses).toEqual([
      { kind: 'read', table: TableName, index: 'by-owner', partition: 'reader', units: 0.5 },
    ]);
  });

  test('each item of a batch is rounded, and a transaction reads each twice', async () => {
    const Keys = [key('1'), key('2'), key('absent')];
    const batch = { RequestItems: { [TableName]: { Keys } }, ReturnConsumedCapacity: 'TOTAL' as const };
    expect((await dynamo.documents.batchGet(batch)).ConsumedCapacity).toEqual([{ TableName, CapacityUnits: 1.5 }]);
    const TransactItems = Keys.map((Key) => ({ Get: { TableName, Key } }));
    const transaction = { TransactItems, ReturnConsumedCapacity: 'TOTAL' as const };
    const { ConsumedCapacity } = await dynamo.documents.transactGet(transaction);
    expect(ConsumedCapacity).toEqual([{ TableName, CapacityUnits: 6 }]);
  });
});

test('answers have no units unless they are asked for, and an unknown detail is refused', async () => {
  const Item = { pk: 'n', sk: '1' };
  expect(await dynamo.documents.put({ TableName, Item })).not.toHaveProperty('ConsumedCapacity');
  const TransactItems = [{ Put: { TableName, Item } }];
  await expect(
    dynamo.documents.transactWrite({ TransactItems, ReturnConsumedCapacity: 'ALL' as never }),
  ).rejects.toMatchObject({ name: 'ValidationException' });
});
