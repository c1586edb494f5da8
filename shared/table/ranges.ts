import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { documents } from '../aws.ts';
import { env } from '../env.ts';
import type { Item } from './items.ts';

type Query = Omit<QueryCommandInput, 'TableName' | 'ConsistentRead'>;

/** The items of one partition whose sort keys lie between two texts, both included, in order. Strongly consistent. */
export async function queryRange(pk: string, from: string, to: string): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of pages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
  })) {
    found.push(...((page.Items ?? []) as Item[]));
  }
  return found;
}

/** The last `limit` items of a partition by sort key, the last first. Strongly consistent. */
export async function queryLatest(pk: string, limit: number): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of pages({ ...partition(pk), ScanIndexForward: false, Limit: limit })) {
    found.push(...((page.Items ?? []) as Item[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** How many items a partition has. DynamoDB reads, and charges for, all of them to know it. */
export async function countItems(pk: string): Promise<number> {
  let count = 0;
  for await (const page of pages({ ...partition(pk), Select: 'COUNT' })) count += page.Count ?? 0;
  return count;
}

const partition = (pk: string): Query => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});

async function* pages(query: Query): AsyncGenerator<QueryCommandOutput> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        ...query,
        TableName: env('TABLE_NAME'),
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield page;
    start = page.LastEvaluatedKey;
  } while (start);
}
