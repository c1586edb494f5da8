import * as sdk from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import type { Outcome, Service } from './compare.ts';
import { keys, type Request, request, TableName, table } from './dynamodb-requests.ts';
import { isKnownDynamodb } from './known-differences.ts';

const commands = {
  BatchGetItem: sdk.BatchGetItemCommand,
  BatchWriteItem: sdk.BatchWriteItemCommand,
  DeleteItem: sdk.DeleteItemCommand,
  GetItem: sdk.GetItemCommand,
  PutItem: sdk.PutItemCommand,
  Query: sdk.QueryCommand,
  Scan: sdk.ScanCommand,
  TransactGetItems: sdk.TransactGetItemsCommand,
  TransactWriteItems: sdk.TransactWriteItemsCommand,
  UpdateItem: sdk.UpdateItemCommand,
};

/** @throws when the table exists */
export async function createTable(client: sdk.DynamoDBClient): Promise<void> {
  await client.send(new sdk.CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...table }));
}

async function clear(client: sdk.DynamoDBClient): Promise<void> {
  const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await client.send(new sdk.BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
}

async function send(client: sdk.DynamoDBClient, { operation, input }: Request): Promise<Outcome> {
  const Command = commands[operation] as new (of: unknown) => sdk.ScanCommand;
  try {
    const { $metadata, ConsumedCapacity, ...result } = await client.send(new Command(input));
    return { result: ordered(result, isOrdered({ operation, input })) };
  } catch (error) {
    const { name, CancellationReasons: reasons, Item } = error as sdk.TransactionCanceledException & { Item?: unknown };
    if (!reasons) return { error: name, ...(Item !== undefined && { result: ordered(Item, true) }) };
    return {
      error: `${name} ${reasons.map(({ Code }) => Code)}`,
      result: reasons.map((reason) => reason.Item ?? null),
    };
  }
}

/** AWS defines the order of the items of a query, except of those that have the same key in an index. */
const isOrdered = ({ operation, input }: Request): boolean => operation === 'Query' && input.IndexName === undefined;

/** The same value for results that differ only in the order of members, of sets, and of items without an order. */
function ordered(value: unknown, itemsAreOrdered: boolean, member = ''): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) {
    const members = value.map((one) => ordered(one, itemsAreOrdered));
    const isSet = ['SS', 'NS', 'BS'].includes(member) || (!itemsAreOrdered && ['Items', TableName].includes(member));
    return isSet ? members.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : members;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, ordered(one, itemsAreOrdered, name)]),
  );
}

export const dynamodb: Service<sdk.DynamoDBClient, Request> = {
  sequence: fc.array(request, { minLength: 1, maxLength: 8 }),
  last: [{ operation: 'Scan', input: { TableName } }],
  nameOf: ({ operation }) => operation,
  clear,
  send,
  isKnown: isKnownDynamodb,
};
