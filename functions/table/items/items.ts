import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { z } from 'zod';
import { readEnvironment } from '../../../shared/environment.ts';
import { type TableIndex, tableIndexes } from '../../../shared/table-indexes.ts';
import { documents } from '../../aws/table-client.ts';
import { chosen, type KeyedRequest, keyedRequest, RequestRepeated } from '../../common/keyed-request.ts';
import { type Changes, type Condition, expression } from './expression.ts';
import { isAsChanged } from './is-as-changed.ts';
import { type Key, keys } from './keys.ts';
import { type Query, queryPages } from './pages.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { pickShard, type Sum } from './sums.ts';

export type Item = Key & Record<string, unknown>;

/** One write, alone or as part of a transaction. */
export type Write =
  | { put: Item; when?: Condition }
  | ({ update: Key; when?: Condition } & Changes)
  | { delete: Key; when?: Condition }
  | { check: Key; when: Condition }
  /** Adds to a sum, in transactions only: the other writes there say whether it was added before. */
  | { sum: Sum; set: Readonly<Record<string, unknown>>; add: Readonly<Record<string, number>> };

/**
 * A condition did not hold, since another call was faster. `failed` has the positions of the writes whose conditions
 * failed.
 */
export class ConditionFailed extends Error {
  readonly failed: number[];

  constructor(failed: number[]) {
    super(`the condition of write ${failed.join(', ')} did not hold`);
    this.name = 'ConditionFailed';
    this.failed = failed;
  }
}

const tableName = (): string => readEnvironment('TABLE_NAME');

/** The item behind a key as its schema reads it, or undefined. Strongly consistent. */
export async function getItem<Schema extends z.ZodType>(
  schema: Schema,
  key: Key,
): Promise<z.infer<Schema> | undefined> {
  const { Item } = await documents.send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }));
  return Item && schema.parse(Item);
}

/**
 * All items below one partition key whose sort key starts with `prefix`, in order, at most `limit`. Strongly
 * consistent.
 */
export const queryItems = (pk: string, prefix = '', limit = Number.POSITIVE_INFINITY): Promise<Item[]> =>
  collect(
    {
      ConsistentRead: true,
      KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: prefix === '' ? { ':pk': pk } : { ':pk': pk, ':prefix': prefix },
    },
    limit,
  );

/** Keys of an index partition in order of its sort key, at most `limit`, between two sort keys, both included. */
export function queryIndex(
  index: TableIndex,
  partition: string,
  {
    limit = Number.POSITIVE_INFINITY,
    descending = false,
    from,
    upTo,
  }: { limit?: number; descending?: boolean; from?: string; upTo?: string } = {},
): Promise<Item[]> {
  const { partitionKey, sortKey } = tableIndexes[index];
  const range = rangeCondition(from, upTo);
  return collect(
    {
      IndexName: index,
      KeyConditionExpression: `#hash = :hash${range}`,
      ExpressionAttributeNames: { '#hash': partitionKey, ...(range !== '' && { '#range': sortKey }) },
      ExpressionAttributeValues: {
        ':hash': partition,
        ...(from !== undefined && { ':from': from }),
        ...(upTo !== undefined && { ':upTo': upTo }),
      },
      ScanIndexForward: !descending,
    },
    limit,
  );
}

function rangeCondition(from: string | undefined, upTo: string | undefined): string {
  if (upTo === undefined) return from === undefined ? '' : ' AND #range >= :from';
  return from === undefined ? ' AND #range <= :upTo' : ' AND #range BETWEEN :from AND :upTo';
}

/** How many items an index partition has. */
export async function countIndex(index: TableIndex, partition: string): Promise<number> {
  let count = 0;
  const query: Query = {
    IndexName: index,
    Select: 'COUNT',
    KeyConditionExpression: '#hash = :hash',
    ExpressionAttributeNames: { '#hash': tableIndexes[index].partitionKey },
    ExpressionAttributeValues: { ':hash': partition },
  };
  for await (const page of queryPages(query)) count += page.Count ?? 0;
  return count;
}

/** DynamoDB refuses larger ones: they have more than 32 bits. */
const maxLimit = 2 ** 31 - 1;

async function collect(query: Query, limit: number): Promise<Item[]> {
  const isLimited = Number.isFinite(limit);
  const found: Item[] = [];
  for await (const page of queryPages({ ...query, ...(isLimited && { Limit: Math.min(limit, maxLimit) }) })) {
    found.push(...((page.Items ?? []) as Item[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, isLimited ? limit : undefined);
}

/** The items of any number of keys, in the order of the keys. Keys without an item are left out. */
export async function getItems(wanted: Key[]): Promise<Item[]> {
  const found = new Map<string, Item>();
  const name = tableName();
  let left: Key[] = wanted.map(({ pk, sk }) => ({ pk, sk }));
  for (let attempt = 1; left.length > 0; attempt++) {
    const { Responses, UnprocessedKeys } = await documents.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys: left.slice(0, 100), ConsistentRead: true } } }),
    );
    for (const item of (Responses?.[name] ?? []) as Item[]) found.set(`${item.pk}\n${item.sk}`, item);
    const unprocessed = (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
    left = [...unprocessed, ...left.slice(100)];
    if (unprocessed.length > 0) await waitForCapacity(attempt);
  }
  return wanted.flatMap(({ pk, sk }) => found.get(`${pk}\n${sk}`) ?? []);
}

/**
 * One conditional write. Throws ConditionFailed. Returns the item as it is after an update.
 *
 * When the response to a write is lost, the client retries, and the condition fails on the result of the first attempt.
 * After a retry the item is read: when it is as this write leaves it, the write has succeeded.
 */
export async function write(one: Write): Promise<Item | undefined> {
  const TableName = tableName();
  try {
    if ('put' in one) {
      const put = { TableName, Item: one.put, ...expression({}, one.when) };
      await retryConflicts(() => documents.send(new PutCommand(put)));
      return one.put;
    }
    if ('delete' in one) {
      const deletion = { TableName, Key: one.delete, ...expression({}, one.when) };
      await retryConflicts(() => documents.send(new DeleteCommand(deletion)));
      return undefined;
    }
    if ('check' in one || 'sum' in one) throw new Error('a check or a sum is of use in a transaction only');
    const update = { TableName, Key: one.update, ReturnValues: 'ALL_NEW' as const, ...expression(one, one.when) };
    const { Attributes } = await retryConflicts(() => documents.send(new UpdateCommand(update)));
    return Attributes as Item;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const written = (error.$metadata.attempts ?? 1) > 1 ? await writtenBefore(one) : undefined;
    if (!written) throw new ConditionFailed([0]);
    return written.item;
  }
}

/** The item as it is, when it is as this write leaves it. */
async function writtenBefore(one: Write): Promise<{ item: Item | undefined } | undefined> {
  if ('check' in one || 'sum' in one) return undefined;
  const { pk, sk } = 'put' in one ? one.put : 'delete' in one ? one.delete : one.update;
  const { Item: found } = await documents.send(
    new GetCommand({ TableName: tableName(), Key: { pk, sk }, ConsistentRead: true }),
  );
  const item = found as Item | undefined;
  if ('delete' in one) return item ? undefined : { item };
  const changes = 'put' in one ? { set: one.put } : one;
  return item && isAsChanged(item, changes) ? { item } : undefined;
}

/**
 * All writes or none. Throws ConditionFailed with the positions. A request with an Idempotency-Key is recorded with
 * what it asks for; what an earlier call has done is not done again.
 */
export async function transact(writes: Write[]): Promise<void> {
  const request = claimingRequest(writes);
  if (!request) return commit(writes);
  if (request.state === 'new') {
    try {
      await commit([...writes, request.claim() as Write]);
    } catch (error) {
      throw error instanceof ConditionFailed && error.failed.includes(writes.length) ? new RequestRepeated() : error;
    }
  }
  request.state = 'claimed';
}

/**
 * The request of this call if these writes do what it asks for. They have the entry in the activity of the user who
 * acts then, which every operation that changes something writes once.
 */
function claimingRequest(writes: readonly Write[]): KeyedRequest | undefined {
  const request = keyedRequest.getStore();
  if (!request || request.state === 'claimed') return undefined;
  const { pk } = keys.activity('', '');
  return writes.some((one) => 'put' in one && one.put.pk.startsWith(pk)) ? request : undefined;
}

async function commit(writes: Write[]): Promise<void> {
  try {
    await retryConflicts((conflicting) => {
      const TransactItems = writes.map((one, position) => transactItem(one, conflicting.has(position)));
      return documents.send(new TransactWriteCommand({ TransactItems: TransactItems as never }));
    });
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const failed = (error.CancellationReasons ?? []).flatMap(({ Code }, position) =>
      Code === 'ConditionalCheckFailed' ? [position] : [],
    );
    throw failed.length > 0 ? new ConditionFailed(failed) : error;
  }
}

function transactItem(one: Write, hadConflict: boolean): object {
  const TableName = tableName();
  if ('put' in one) return { Put: { TableName, Item: one.put, ...expression({}, one.when) } };
  if ('delete' in one) return { Delete: { TableName, Key: one.delete, ...expression({}, one.when) } };
  if ('check' in one) return { ConditionCheck: { TableName, Key: one.check, ...expression({}, one.when) } };
  if ('update' in one) return { Update: { TableName, Key: one.update, ...expression(one, one.when) } };
  return { Update: { TableName, Key: one.sum.keyOf(pickShard(one.sum, hadConflict)), ...expression(one) } };
}

/** Puts or deletes in batches, without conditions: for items that no other call writes. */
export async function writeBatch(writes: ({ put: Item } | { delete: Key })[]): Promise<void> {
  const name = tableName();
  let left = writes.map((one) =>
    'put' in one ? { PutRequest: { Item: one.put } } : { DeleteRequest: { Key: one.delete } },
  ) as object[];
  for (let attempt = 1; left.length > 0; attempt++) {
    const { UnprocessedItems } = await documents.send(
      new BatchWriteCommand({ RequestItems: { [name]: left.slice(0, 25) as never } }),
    );
    const unprocessed = UnprocessedItems?.[name] ?? [];
    left = [...unprocessed, ...left.slice(25)];
    if (unprocessed.length > 0) await waitForCapacity(attempt);
  }
}

/** Before the rest of a batch, which DynamoDB leaves to the caller when the table is throttled. */
const waitForCapacity = (attempt: number): Promise<void> => sleep(Math.random() * Math.min(2000, 20 * 2 ** attempt));

/** The first of `count` new integer ids of a kind. Gaps are fine; an id is never given twice. */
export async function takeIds(counter: Key, count = 1): Promise<number> {
  return chosen(`ids ${counter.pk}`, async () => {
    const item = await write({ update: counter, set: { kind: 'counter' }, add: { value: count } });
    return Number(item?.value) - count + 1;
  });
}
