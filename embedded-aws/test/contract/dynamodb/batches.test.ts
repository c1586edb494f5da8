import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Documents, openTables, others, things } from './open-tables.ts';

let documents: Documents;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ documents, close } = await openTables());
});
afterAll(() => close());

const key = (n: number) => ({ pk: 'batch', sk: String(n).padStart(3, '0') });

test('a batch puts and deletes in several tables and is read back in one', async () => {
  await documents.put({ TableName: things, Item: { ...key(9), old: true } });
  const written = await documents.batchWrite({
    RequestItems: {
      [things]: [{ PutRequest: { Item: { ...key(1), a: 1 } } }, { DeleteRequest: { Key: key(9) } }],
      [others]: [{ PutRequest: { Item: { ...key(2), b: 2 } } }],
    },
  });
  expect(written.UnprocessedItems).toEqual({});
  const read = await documents.batchGet({
    RequestItems: { [things]: { Keys: [key(1), key(9)] }, [others]: { Keys: [key(2)], ConsistentRead: true } },
  });
  expect(read.Responses).toEqual({ [things]: [{ ...key(1), a: 1 }], [others]: [{ ...key(2), b: 2 }] });
  expect(read.UnprocessedKeys).toEqual({});
});

test('a batch with one invalid item writes nothing', async () => {
  const wrong = { PutRequest: { Item: { pk: 'batch', sk: 5 } } };
  await expect(
    documents.batchWrite({ RequestItems: { [things]: [{ PutRequest: { Item: key(50) } }, wrong] } }),
  ).rejects.toMatchObject({ name: 'ValidationException' });
  expect((await documents.get({ TableName: things, Key: key(50) })).Item).toBeUndefined();
});

test.each([
  ['more than 25 writes', Array.from({ length: 26 }, (_, n) => ({ PutRequest: { Item: key(n) } }))],
  ['two writes of one item', [{ PutRequest: { Item: key(1) } }, { DeleteRequest: { Key: key(1) } }]],
])('%s are a ValidationException', async (_name, requests) => {
  await expect(documents.batchWrite({ RequestItems: { [things]: requests } })).rejects.toMatchObject({
    name: 'ValidationException',
  });
});

test('more than 100 keys, or one key twice, is a ValidationException', async () => {
  for (const Keys of [Array.from({ length: 101 }, (_, n) => key(n)), [key(1), key(1)]]) {
    await expect(documents.batchGet({ RequestItems: { [things]: { Keys } } })).rejects.toMatchObject({
      name: 'ValidationException',
    });
  }
});

test('requests that exceed the size of a response are unprocessed, and a retry returns the rest with the same projection', async () => {
  // Together 18 MB, of which a response has at most 16.
  const count = 60;
  for (let n = 0; n < count; n++) {
    await documents.put({
      TableName: things,
      Item: { ...key(100 + n), text: 'x'.repeat(300_000), other: n },
    });
  }
  type Requests = NonNullable<Parameters<Documents['batchGet']>[0]['RequestItems']>;
  let RequestItems: Requests = {
    [things]: {
      Keys: Array.from({ length: count }, (_, n) => key(100 + n)),
      ProjectionExpression: 'sk, #t',
      ExpressionAttributeNames: { '#t': 'text' },
    },
  };
  const items: Record<string, unknown>[] = [];
  let rounds = 0;
  while (Object.keys(RequestItems).length > 0) {
    const answer = await documents.batchGet({ RequestItems });
    items.push(...(answer.Responses?.[things] ?? []));
    RequestItems = answer.UnprocessedKeys ?? {};
    rounds++;
  }
  expect(rounds).toBeGreaterThan(1);
  expect(items.map(({ sk }) => sk).sort()).toEqual(Array.from({ length: count }, (_, n) => key(100 + n).sk));
  expect(items.every((item) => Object.keys(item).sort().join() === 'sk,text')).toBe(true);
});
