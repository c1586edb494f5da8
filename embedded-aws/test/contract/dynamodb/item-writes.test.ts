import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
  pk = `item-${++made}`;
});

const key = () => ({ pk, sk: 'a' });
const read = async () => (await documents.get({ TableName, Key: key(), ConsistentRead: true })).Item;

async function update(UpdateExpression: string, values?: Record<string, unknown>, names?: Record<string, string>) {
  const answer = await documents.update({
    TableName,
    Key: key(),
    UpdateExpression,
    ExpressionAttributeValues: values,
    ExpressionAttributeNames: names,
    ReturnValues: 'ALL_NEW',
  });
  return answer.Attributes;
}

test('PutItem stores every type', async () => {
  const item = {
    ...key(),
    text: 'naïve 🎬',
    number: -12.5,
    yes: true,
    nothing: null,
    bytes: new Uint8Array([0, 255, 7]),
    list: [1, 'two', { three: [3] }],
    map: { deep: { deeper: '' } },
    set: new Set(['a', 'b']),
  };
  await documents.put({ TableName, Item: item });
  expect(await read()).toEqual(item);
});

test('putting again replaces the whole item and can return the old one', async () => {
  await documents.put({ TableName, Item: { ...key(), one: 1 } });
  const answer = await documents.put({ TableName, Item: { ...key(), two: 2 }, ReturnValues: 'ALL_OLD' });
  expect(answer.Attributes).toEqual({ ...key(), one: 1 });
  expect(await read()).toEqual({ ...key(), two: 2 });
});

test('DeleteItem can return the old item, and deleting a missing item succeeds', async () => {
  await documents.put({ TableName, Item: { ...key(), one: 1 } });
  const first = await documents.delete({ TableName, Key: key(), ReturnValues: 'ALL_OLD' });
  const second = await documents.delete({ TableName, Key: key(), ReturnValues: 'ALL_OLD' });
  expect(first.Attributes).toEqual({ ...key(), one: 1 });
  expect(second.Attributes).toBeUndefined();
  expect(await read()).toBeUndefined();
});

test('ADD starts at zero and adds to sets; DELETE removes from sets', async () => {
  await update('ADD hits :two, tags :tags', { ':two': 2, ':tags': new Set(['x', 'y']) });
  expect(await update('ADD hits :minus DELETE tags :x', { ':minus': -5, ':x': new Set(['x']) })).toEqual({
    ...key(),
    hits: -3,
    tags: new Set(['y']),
  });
});

test('SET supports if_not_exists, list_append, arithmetic and nested paths', async () => {
  await update(
    'SET #m = :map, n = if_not_exists(n, :ten), l = :list',
    {
      ':map': { nest: { a: 1 } },
      ':ten': 10,
      ':list': ['a'],
    },
    { '#m': 'map' },
  );
  const after = await update(
    'SET n = if_not_exists(n, :ten) + :one, l = list_append(l, :more), #m.nest.b = n',
    {
      ':ten': 100,
      ':one': 1,
      ':more': ['b', 'c'],
    },
    { '#m': 'map' },
  );
  expect(after).toEqual({ ...key(), n: 11, l: ['a', 'b', 'c'], map: { nest: { a: 1, b: 10 } } });
});

test('REMOVE removes attributes, and list elements by their indexes before the update', async () => {
  await documents.put({ TableName, Item: { ...key(), gone: 1, l: ['a', 'b', 'c', 'd'] } });
  expect(await update('REMOVE gone, l[0], l[2] SET l[3] = :z', { ':z': 'z' })).toEqual({ ...key(), l: ['b', 'z'] });
});

test('an update can return the old or the changed attributes only', async () => {
  await documents.put({ TableName, Item: { ...key(), a: 1, b: 1 } });
  const change = { TableName, Key: key(), UpdateExpression: 'ADD a :one', ExpressionAttributeValues: { ':one': 1 } };
  expect((await documents.update({ ...change, ReturnValues: 'UPDATED_NEW' })).Attributes).toEqual({ a: 2 });
  expect((await documents.update({ ...change, ReturnValues: 'UPDATED_OLD' })).Attributes).toEqual({ a: 2 });
  expect((await documents.update({ ...change, ReturnValues: 'ALL_OLD' })).Attributes).toEqual({
    ...key(),
    a: 3,
    b: 1,
  });
});

test('two hundred concurrent increments are all counted', async () => {
  const increment = { TableName, Key: key(), UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } };
  await Promise.all(Array.from({ length: 200 }, () => documents.update(increment)));
  expect(await read()).toEqual({ ...key(), n: 200 });
});

test('of concurrent creations with attribute_not_exists exactly one succeeds', async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      documents.put({ TableName, Item: { ...key(), n }, ConditionExpression: 'attribute_not_exists(pk)' }),
    ),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['put', () => documents.put({ TableName, Item: { ...key(), state: 'new' }, ...failing() })],
  ['update', () => documents.update({ TableName, Key: key(), UpdateExpression: 'REMOVE #s', ...failing() })],
  ['delete', () => documents.delete({ TableName, Key: key(), ...failing() })],
] as const)('a %s whose condition fails changes nothing and shows the item that was there', async (_name, write) => {
  const item = { ...key(), state: 'running', n: 7 };
  await documents.put({ TableName, Item: item });
  const error = await write().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConditionalCheckFailedException);
  expect((error as ConditionalCheckFailedException).Item).toEqual({
    pk: { S: pk },
    sk: { S: 'a' },
    state: { S: 'running' },
    n: { N: '7' },
  });
  expect(await read()).toEqual(item);
});

function failing() {
  return {
    ConditionExpression: '#s = :pending',
    ExpressionAttributeNames: { '#s': 'state' },
    ExpressionAttributeValues: { ':pending': 'pending' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

test('the error of a failed condition contains no item if there is none or it was not requested', async () => {
  const absent = await documents
    .delete({
      TableName,
      Key: key(),
      ConditionExpression: 'attribute_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    .catch((reason: unknown) => reason);
  await documents.put({ TableName, Item: key() });
  const unasked = await documents
    .put({ TableName, Item: key(), ConditionExpression: 'attribute_not_exists(pk)' })
    .catch((reason: unknown) => reason);
  for (const error of [absent, unasked]) {
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect((error as ConditionalCheckFailedException).Item).toBeUndefined();
  }
});

test.each([
  ['n = :n', { ':n': 5 }, true],
  ['n <> :n', { ':n': 5 }, false],
  ['n BETWEEN :low AND :high', { ':low': -1, ':high': 5 }, true],
  ['n IN (:a, :b)', { ':a': 1, ':b': 5 }, true],
  ['n < :a OR NOT s = :s', { ':a': 5, ':s': 'text' }, false],
  ['begins_with(s, :s) AND contains(tags, :x)', { ':s': 'te', ':x': 'x' }, true],
  ['size(s) = :four', { ':four': 4 }, true],
  ['attribute_type(s, :type)', { ':type': 'S' }, true],
  ['m.deep[1] = :b', { ':b': 'b' }, true],
  ['attribute_not_exists(m.rest)', undefined, true],
  ['absent < :n', { ':n': 5 }, false],
  ['flag = :no', { ':no': false }, true],
])('the condition %s with %o is %s', async (ConditionExpression, ExpressionAttributeValues, holds) => {
  await documents.put({
    TableName,
    Item: { ...key(), n: 5, s: 'text', tags: new Set(['x']), m: { deep: ['a', 'b'] }, flag: false },
  });
  const attempt = documents.delete({ TableName, Key: key(), ConditionExpression, ExpressionAttributeValues });
  await (holds
    ? expect(attempt).resolves.toBeDefined()
    : expect(attempt).rejects.toThrow(ConditionalCheckFailedException));
});

test.each([
  ['an unknown function', () => conditional('exists_or_not(a)')],
  ['a syntax error', () => conditional('a = = :b', { ':b': 1 })],
  ['a value that no expression uses', () => conditional('attribute_exists(a)', { ':b': 1 })],
  ['a reserved word', () => conditional('attribute_exists(status)')],
  ['a key of the wrong type', () => documents.put({ TableName, Item: { pk, sk: 1 } })],
  ['a missing key', () => documents.put({ TableName, Item: { pk } })],
  ['an index key of the wrong type', () => documents.put({ TableName, Item: { ...key(), owner: 1 } })],
  ['an empty index key', () => documents.put({ TableName, Item: { ...key(), owner: '' } })],
  ['an item over 400 KB', () => documents.put({ TableName, Item: { ...key(), a: 'x'.repeat(410_000) } })],
  [
    'adding to a string',
    async () => {
      await documents.put({ TableName, Item: { ...key(), a: 'text' } });
      await update('ADD a :one', { ':one': 1 });
    },
  ],
  ['changing a key attribute', () => update('SET sk = :b', { ':b': 'b' })],
  [
    'an unknown ReturnValuesOnConditionCheckFailure',
    () => documents.put({ TableName, Item: key(), ReturnValuesOnConditionCheckFailure: 'SOME' as 'ALL_OLD' }),
  ],
])('%s is a ValidationException', async (_name, attempt) => {
  const error = await attempt().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DynamoDBServiceException);
  expect((error as DynamoDBServiceException).name).toBe('ValidationException');
});

function conditional(ConditionExpression: string, ExpressionAttributeValues?: Record<string, unknown>) {
  return documents.delete({ TableName, Key: key(), ConditionExpression, ExpressionAttributeValues });
}

test('a missing table is a ResourceNotFoundException', async () => {
  await expect(documents.put({ TableName: 'elsewhere', Item: key() })).rejects.toThrow(ResourceNotFoundException);
  await expect(documents.get({ TableName: 'elsewhere', Key: key() })).rejects.toThrow(ResourceNotFoundException);
});

test('a projection selects attributes and nested paths', async () => {
  await documents.put({ TableName, Item: { ...key(), a: 1, m: { x: 1, y: 2 }, l: [1, 2, 3] } });
  const { Item } = await documents.get({
    TableName,
    Key: key(),
    ProjectionExpression: '#a, m.x, l[1]',
    ExpressionAttributeNames: { '#a': 'a' },
  });
  expect(Item).toEqual({ a: 1, m: { x: 1 }, l: [2] });
});

test.each([
  ['begins_with(a, b)', false],
  ['contains(a, b)', false],
  ['b = c', false],
  ['a < b', false],
  ['b < c', false],
  ['a BETWEEN a AND b', false],
  ['NOT a BETWEEN b AND c', true],
  ['a IN (b, c)', false],
  ['sk IN (b, a)', true],
  ['begins_with(a, b) OR attribute_exists(a)', true],
])('the condition %s is %s for an item that has only a', async (ConditionExpression, holds) => {
  await documents.put({ TableName, Item: { ...key(), a: 'a' } });
  const conditional = documents.delete({ TableName, Key: key(), ConditionExpression });
  if (holds) await conditional;
  else await expect(conditional).rejects.toBeInstanceOf(ConditionalCheckFailedException);
});

test.each(['begins_with(m, m2)', 'begins_with(l, m)', 'begins_with(s, m)', 'begins_with(n, five)'])(
  'the condition %s is false, since its operands are not two texts',
  async (ConditionExpression) => {
    await documents.put({
      TableName,
      Item: { ...key(), m: { a: 1 }, m2: { a: 1 }, l: [1], s: 'a', n: 55, five: 5 },
    });
    const conditional = documents.delete({ TableName, Key: key(), ConditionExpression });
    await expect(conditional).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  },
);
