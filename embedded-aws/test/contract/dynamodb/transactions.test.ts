import {
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Documents, openTables, things as TableName } from './open-tables.ts';

let documents: Documents;
let close: () => Promise<void>;
let pk: string;
let made = 0;

beforeAll(async () => {
  ({ documents, close } = await openTables());
});
afterAll(() => close());
beforeEach(() => {
  pk = `transaction-${++made}`;
});

type Items = NonNullable<Parameters<Documents['transactWrite']>[0]['TransactItems']>;
const key = (sk: string) => ({ pk, sk });
const write = (TransactItems: Items, ClientRequestToken?: string) =>
  documents.transactWrite({ TransactItems, ClientRequestToken });
const put = (sk: string, more = {}) => documents.put({ TableName, Item: { ...key(sk), ...more } });
const items = async () =>
  (
    await documents.query({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    })
  ).Items;
const add = (sk: string, n: number): Items[number] => ({
  Update: { TableName, Key: key(sk), UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': n } },
});
const mustExist = (sk: string): Items[number] => ({
  ConditionCheck: { TableName, Key: key(sk), ConditionExpression: 'attribute_exists(pk)' },
});
async function reasonsOf(attempt: Promise<unknown>) {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransactionCanceledException);
  return (error as TransactionCanceledException).CancellationReasons;
}

test('put, update, delete and condition check are one transaction', async () => {
  await put('counter', { n: 1 });
  await put('old', { owner: pk });
  await put('guard');
  await write([
    { Put: { TableName, Item: { ...key('new'), owner: pk } } },
    add('counter', 2),
    { Delete: { TableName, Key: key('old') } },
    mustExist('guard'),
  ]);
  expect(await items()).toEqual([{ ...key('counter'), n: 3 }, key('guard'), { ...key('new'), owner: pk }]);
  const index = await documents.query({
    TableName,
    IndexName: 'by-owner',
    KeyConditionExpression: '#o = :o',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':o': pk },
  });
  expect(index.Items).toEqual([{ ...key('new'), owner: pk }]);
});

test('one failed condition cancels all writes, and the reasons are in the order of the items', async () => {
  await put('here', { n: 5 });
  const attempt = write([
    { Put: { TableName, Item: key('fresh') } },
    {
      Update: {
        TableName,
        Key: key('here'),
        UpdateExpression: 'SET n = :n',
        ConditionExpression: 'n = :old',
        ExpressionAttributeValues: { ':n': 1, ':old': 4 },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    mustExist('absent'),
    add('here-too', 1),
  ]);
  expect(await reasonsOf(attempt)).toEqual([
    { Code: 'None' },
    {
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
      Item: { pk: { S: pk }, sk: { S: 'here' }, n: { N: '5' } },
    },
    { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
    { Code: 'None' },
  ]);
  expect(await items()).toEqual([{ ...key('here'), n: 5 }]);
});

test.each([
  ['put', (failing: object): Items[number] => ({ Put: { TableName, Item: key('here'), ...condition(failing) } })],
  ['delete', (failing: object): Items[number] => ({ Delete: { TableName, Key: key('here'), ...condition(failing) } })],
  [
    'check',
    (failing: object): Items[number] => ({ ConditionCheck: { TableName, Key: key('here'), ...condition(failing) } }),
  ],
])('the error of a failed %s contains the existing item if requested', async (_name, step) => {
  await put('here', { n: 1 });
  const Item = { pk: { S: pk }, sk: { S: 'here' }, n: { N: '1' } };
  expect(await reasonsOf(write([step({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })]))).toMatchObject([{ Item }]);
  expect((await reasonsOf(write([step({})])))?.[0]).not.toHaveProperty('Item');
});

function condition(more: object) {
  return { ConditionExpression: 'attribute_not_exists(pk)', ...more };
}

test('the message lists the codes of the reasons, as in DynamoDB', async () => {
  await expect(write([mustExist('absent'), add('n', 1)])).rejects.toThrow(
    'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
  );
});

test('an error that only writing reveals is a reason with the code ValidationError', async () => {
  await put('text', { n: 'text' });
  const wrongKey = { Delete: { TableName, Key: { pk } } };
  expect(await reasonsOf(write([add('other', 1), add('text', 1), wrongKey]))).toMatchObject([
    { Code: 'None' },
    { Code: 'ValidationError' },
    { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
  ]);
  expect(await items()).toEqual([{ ...key('text'), n: 'text' }]);
});

test('a transaction has at most a hundred items', async () => {
  const adds = (count: number) => Array.from({ length: count }, (_, n) => add(`n${n}`, 1));
  await write(adds(100));
  expect(await items()).toHaveLength(100);
  await expect(write(adds(101))).rejects.toMatchObject({ name: 'ValidationException' });
});

test.each([
  ['no items', () => []],
  ['one item twice', () => [add('a', 1), mustExist('a')]],
  ['an entry with two operations', () => [{ ...add('a', 1), ...mustExist('b') }]],
  ['an entry without an operation', () => [{}]],
  [
    'a check without a condition',
    () => [{ ConditionCheck: { TableName, Key: key('a'), ConditionExpression: undefined } }],
  ],
  ['an update without an expression', () => [{ Update: { TableName, Key: key('a'), UpdateExpression: undefined } }]],
  ['a malformed expression', () => [{ Delete: { TableName, Key: key('a'), ConditionExpression: 'a = = b' } }]],
])('%s is a ValidationException', async (_name, steps) => {
  await expect(write(steps())).rejects.toMatchObject({ name: 'ValidationException' });
  expect(await items()).toEqual([]);
});

test('a missing table is a ResourceNotFoundException and nothing is written', async () => {
  const elsewhere = { Put: { TableName: 'elsewhere', Item: key('a') } };
  await expect(write([add('a', 1), elsewhere])).rejects.toThrow(ResourceNotFoundException);
  expect(await items()).toEqual([]);
});

describe('a client token', () => {
  test('makes a repeated transaction idempotent', async () => {
    const token = `${pk}-once`;
    await write([add('n', 1)], token);
    await write([add('n', 1)], token);
    expect(await items()).toEqual([{ ...key('n'), n: 1 }]);
  });

  test('is rejected for another transaction', async () => {
    const token = `${pk}-other`;
    await write([add('n', 1)], token);
    await expect(write([add('n', 2)], token)).rejects.toThrow(IdempotentParameterMismatchException);
    expect(await items()).toEqual([{ ...key('n'), n: 1 }]);
  });

  test('of a cancelled transaction can be used again', async () => {
    const token = `${pk}-retry`;
    await expect(write([mustExist('guard'), add('n', 1)], token)).rejects.toThrow(TransactionCanceledException);
    await put('guard');
    await write([mustExist('guard'), add('n', 1)], token);
    expect(await items()).toEqual([key('guard'), { ...key('n'), n: 1 }]);
  });
});

test('a transactional read returns items in the requested order, with empty entries for missing items', async () => {
  await put('a', { n: 1 });
  await put('b', { n: 2, m: 3 });
  const get = (sk: string, more = {}) => ({ Get: { TableName, Key: key(sk), ...more } });
  const { Responses } = await documents.transactGet({
    TransactItems: [get('b', { ProjectionExpression: 'm' }), get('absent'), get('a')],
  });
  expect(Responses).toEqual([{ Item: { m: 3 } }, {}, { Item: { ...key('a'), n: 1 } }]);
});

test('a transactional read of the same item twice is refused', async () => {
  const Get = { TableName, Key: key('a') };
  await expect(documents.transactGet({ TransactItems: [{ Get }, { Get }] })).rejects.toMatchObject({
    name: 'ValidationException',
    message: 'Transaction request cannot include multiple operations on one item',
  });
});

test('a transactional read with a key of another form is cancelled, with the reason at its item', async () => {
  const { pk } = key('a');
  const gets = [
    { TableName, Key: key('a') },
    { TableName, Key: { pk } },
  ];
  await expect(documents.transactGet({ TransactItems: gets.map((Get) => ({ Get })) })).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
    ],
  });
});

test('transactional reads never see a part of a transaction', async () => {
  const sides = ['left', 'right'];
  await Promise.all(sides.map((sk) => put(sk, { n: 0 })));
  let writing = true;
  async function move() {
    for (let n = 0; n < 100; n++) await write([add('left', 1), add('right', -1)]);
    writing = false;
  }
  async function watch() {
    const sums = new Set<number>();
    while (writing) {
      await untilApplied(async () => {
        const { Responses = [] } = await documents.transactGet({
          TransactItems: sides.map((sk) => ({ Get: { TableName, Key: key(sk) } })),
        });
        sums.add(Responses.reduce((sum, { Item }) => sum + Item?.n, 0));
      });
    }
    return sums;
  }
  const [, sums] = await Promise.all([move(), watch()]);
  expect([...sums]).toEqual([0]);
});

/** As a caller of AWS does: what met a running transaction is sent again. */
async function untilApplied(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch (error) {
      if (!/TransactionConflict|Transaction is ongoing/.test((error as Error).message)) throw error;
    }
  }
}

test('concurrent transactions and writes on the same items are all applied', async () => {
  const single = { TableName, Key: key('a'), UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': 1 } };
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      untilApplied(() => (n % 2 ? documents.update(single) : write([add('a', 1), add('b', 1)]))),
    ),
  );
  expect(await items()).toEqual([
    { ...key('a'), n: 50 },
    { ...key('b'), n: 25 },
  ]);
});

test('the items of a transaction have at most 4 MB together', async () => {
  const large = (count: number): Items =>
    Array.from({ length: count }, (_, n) => ({
      Put: { TableName, Item: { ...key(`n${n}`), text: 'x'.repeat(399_000) } },
    }));
  await expect(write(large(11))).rejects.toMatchObject({ name: 'ValidationException' });
  expect(await items()).toEqual([]);
  await write(large(10));
  await expect(write([{ Put: { TableName, Item: { ...key('a'), text: 'x'.repeat(410_000) } } }])).rejects.toMatchObject(
    { name: 'ValidationException' },
  );
});
