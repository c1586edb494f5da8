import { describe, expect, test } from 'vitest';
import { authorizeCall } from '../../src/dynamodb/dynamodb-access.ts';
import { compilePolicy } from '../../src/iam/policy.ts';
import { createPrincipal } from '../../src/testing/create-principal.ts';
import { credentials } from '../../src/testing/serve-control.ts';
import { thingsTable } from './dynamo-server.ts';

const region = 'eu-west-1';
const table = {
  TableName: 'things',
  TableStatus: 'ACTIVE',
  KeySchema: thingsTable.keySchema,
  GlobalSecondaryIndexes: thingsTable.globalSecondaryIndexes,
};
const tables = new Map([['things', table]]) as unknown as Parameters<typeof authorizeCall>[3]['tables'];

const policy = compilePolicy([
  {
    Effect: 'Allow',
    Action: 'dynamodb:*',
    Resource: `arn:aws:dynamodb:${region}:000000000000:table/things*`,
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['VIDEO#*', 'SWEEP'] } },
  },
]);

function isAllowed(operation: string, input: Record<string, unknown>): boolean {
  try {
    authorizeCall(createPrincipal(credentials, policy), operation, input, { tables, region });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: 'AccessDeniedException' });
    return false;
  }
}

const TableName = 'things';
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'a' } });

describe('the partition key decides about', () => {
  const query = (attribute: string, pk: string) => ({
    TableName,
    KeyConditionExpression: '(begins_with(sk, :p)) AND (#hash = :hash)',
    ExpressionAttributeNames: { '#hash': attribute },
    ExpressionAttributeValues: { ':hash': { S: pk }, ':p': { S: 'VIDEO#1' } },
  });
  const operations: Record<string, (pk: string) => [operation: string, input: Record<string, unknown>]> = {
    GetItem: (pk) => ['GetItem', { TableName, Key: key(pk) }],
    PutItem: (pk) => ['PutItem', { TableName, Item: key(pk) }],
    UpdateItem: (pk) => ['UpdateItem', { TableName, Key: key(pk) }],
    DeleteItem: (pk) => ['DeleteItem', { TableName, Key: key(pk) }],
    BatchGetItem: (pk) => ['BatchGetItem', { RequestItems: { things: { Keys: [key('VIDEO#1'), key(pk)] } } }],
    'a put of BatchWriteItem': (pk) => [
      'BatchWriteItem',
      { RequestItems: { things: [{ PutRequest: { Item: key('SWEEP') } }, { PutRequest: { Item: key(pk) } }] } },
    ],
    'a delete of BatchWriteItem': (pk) => [
      'BatchWriteItem',
      { RequestItems: { things: [{ DeleteRequest: { Key: key(pk) } }] } },
    ],
    'a transaction of reads': (pk) => [
      'TransactGetItems',
      { TransactItems: [key('VIDEO#1'), key(pk)].map((Key) => ({ Get: { TableName, Key } })) },
    ],
    ...Object.fromEntries(
      (['Put', 'Update', 'Delete', 'ConditionCheck'] as const).map((kind) => [
        `a ${kind} of a transaction`,
        (pk: string): [string, Record<string, unknown>] => [
          'TransactWriteItems',
          {
            TransactItems: [
              { Put: { TableName, Item: key('SWEEP') } },
              { [kind]: { TableName, [kind === 'Put' ? 'Item' : 'Key']: key(pk) } },
            ],
          },
        ],
      ]),
    ),
    Query: (pk) => ['Query', query('pk', pk)],
    'Query with KeyConditions': (pk) => [
      'Query',
      { TableName, KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: pk }] } } },
    ],
    'Query of an index': (pk) => ['Query', { ...query('owner', pk), IndexName: 'by-owner' }],
  };

  test.each(Object.keys(operations))('%s', (name) => {
    const make = operations[name]!;
    for (const pk of ['VIDEO#1', 'VIDEO#', 'SWEEP']) expect(isAllowed(...make(pk)), pk).toBe(true);
    for (const pk of ['USER#1', 'VIDEO', 'SWEEPER', 'xVIDEO#1']) expect(isAllowed(...make(pk)), pk).toBe(false);
  });
});

test('a query whose partition key cannot be found is denied', () => {
  const query = { TableName, KeyConditionExpression: 'sk = :p', ExpressionAttributeValues: { ':p': { S: 'VIDEO#1' } } };
  expect(isAllowed('Query', query)).toBe(false);
  expect(isAllowed('Query', { ...query, IndexName: 'missing' })).toBe(false);
});

test('the partition key of the table does not decide about a query of an index', () => {
  const query = {
    TableName,
    IndexName: 'by-owner',
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 'VIDEO#1' } },
  };
  expect(isAllowed('Query', query)).toBe(false);
});

test('a request without a key fulfils ForAllValues, so the condition does not limit a scan', () => {
  expect(isAllowed('Scan', { TableName })).toBe(true);
});
