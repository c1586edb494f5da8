import type { Item } from './items.ts';
import { type Query, queryPages } from './pages.ts';

/**
 * The items of one partition whose sort keys lie between two texts, both included, in order, at most `limit`. Strongly
 * consistent.
 */
export async function queryRange(pk: string, from: string, to: string, limit?: number): Promise<Item[]> {
  const found: Item[] = [];
  const query = { ...between(pk, from, to), ...(limit !== undefined && { Limit: limit }) };
  for await (const page of queryPages(query)) {
    found.push(...((page.Items ?? []) as Item[]));
    if (limit !== undefined && found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** As `queryRange`, one page of at most 1 MB after the other, for as long as they are asked for. */
export async function* rangePages(pk: string, from: string, to: string): AsyncGenerator<Item[]> {
  for await (const { Items = [] } of queryPages(between(pk, from, to))) yield Items as Item[];
}

/**
 * The last `limit` items of one partition whose sort keys lie between two texts, both included, the last first.
 * Strongly consistent.
 */
export const queryRangeLatest = (pk: string, from: string, to: string, limit: number): Promise<Item[]> =>
  latest(between(pk, from, to), limit);

/** Up to `limit` items of a partition behind a sort key, from the first one without it. Strongly consistent. */
export async function queryAfter(pk: string, after: string | undefined, limit: number): Promise<Item[]> {
  const query = after === undefined ? partition(pk) : behind(pk, after);
  const found: Item[] = [];
  for await (const page of queryPages({ ...query, Limit: limit })) {
    found.push(...((page.Items ?? []) as Item[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/**
 * One field of all items of a partition, with their keys. DynamoDB reads, and charges for, whole items; eventually
 * consistent reads cost half.
 */
export async function queryField(pk: string, field: string): Promise<Item[]> {
  const found: Item[] = [];
  const query: Query = {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ProjectionExpression: 'pk, sk, #field',
    ExpressionAttributeNames: { '#field': field },
  };
  for await (const page of queryPages(query)) found.push(...((page.Items ?? []) as Item[]));
  return found;
}

/** The last `limit` items of a partition by sort key, the last first. Strongly consistent. */
export const queryLatest = (pk: string, limit: number): Promise<Item[]> => latest(partition(pk), limit);

async function latest(query: Query, limit: number): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of queryPages({ ...query, ScanIndexForward: false, Limit: limit })) {
    found.push(...((page.Items ?? []) as Item[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/**
 * How many items of a partition have sort keys between two texts, both included. DynamoDB reads, and charges for, all
 * of them to know it.
 */
export async function countRange(pk: string, from: string, to: string): Promise<number> {
  let count = 0;
  for await (const page of queryPages({ ...between(pk, from, to), Select: 'COUNT' })) count += page.Count ?? 0;
  return count;
}

const between = (pk: string, from: string, to: string): Query => ({
  ConsistentRead: true,
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
});

const behind = (pk: string, after: string): Query => ({
  ConsistentRead: true,
  KeyConditionExpression: 'pk = :pk AND sk > :after',
  ExpressionAttributeValues: { ':pk': pk, ':after': after },
});

const partition = (pk: string): Query => ({
  ConsistentRead: true,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});
