import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Documents, openTables, things as TableName } from './open-tables.ts';

let documents: Documents;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ documents, close } = await openTables());
});
afterAll(() => close());

type Query = Omit<Parameters<Documents['query']>[0], 'TableName'>;
/** Strongly consistent, where DynamoDB supports it. */
const query = (input: Query) =>
  documents.query({ TableName, ...(input.IndexName === undefined && { ConsistentRead: true }), ...input });
const sortKeys = async (input: Query) => (await query(input)).Items?.map(({ sk }) => sk);

/** All sort keys, page by page. */
async function sortKeysInPages(input: Query) {
  const pages: unknown[][] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await query({ ...input, ExclusiveStartKey });
    pages.push(page.Items?.map(({ sk }) => sk) ?? []);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return pages;
}

describe('a query on the table', () => {
  const all = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'videos' } };
  const some = (condition: string, values: Record<string, string>) => ({
    KeyConditionExpression: `pk = :pk AND ${condition}`,
    ExpressionAttributeValues: { ':pk': 'videos', ...values },
  });

  beforeAll(async () => {
    for (const [n, sk] of ['v#1', 'v#10', 'v#2', 'v#é', 'w#1'].entries()) {
      await documents.put({ TableName, Item: { pk: 'videos', sk, n, big: n > 2 } });
    }
    await documents.put({ TableName, Item: { pk: 'videos-of-others', sk: 'v#1' } });
  });

  test('is ordered by the bytes of the sort key, ascending or descending', async () => {
    expect(await sortKeys(all)).toEqual(['v#1', 'v#10', 'v#2', 'v#é', 'w#1']);
    expect(await sortKeys({ ...all, ScanIndexForward: false })).toEqual(['w#1', 'v#é', 'v#2', 'v#10', 'v#1']);
  });

  test.each([
    ['begins_with(sk, :a)', { ':a': 'v#1' }, ['v#1', 'v#10']],
    ['sk BETWEEN :a AND :b', { ':a': 'v#10', ':b': 'v#2' }, ['v#10', 'v#2']],
    ['sk = :a', { ':a': 'v#1' }, ['v#1']],
    ['sk < :a', { ':a': 'v#10' }, ['v#1']],
    ['sk <= :a', { ':a': 'v#10' }, ['v#1', 'v#10']],
    ['sk > :a', { ':a': 'v#2' }, ['v#é', 'w#1']],
    ['sk >= :a', { ':a': 'v#2' }, ['v#2', 'v#é', 'w#1']],
  ])('supports the condition %s', async (condition, values, expected) => {
    expect(await sortKeys(some(condition, values as unknown as Record<string, string>))).toEqual(expected);
  });

  test('is paginated in both directions', async () => {
    expect(await sortKeysInPages({ ...all, Limit: 2 })).toEqual([['v#1', 'v#10'], ['v#2', 'v#é'], ['w#1']]);
    expect(await sortKeysInPages({ ...all, Limit: 2, ScanIndexForward: false })).toEqual([
      ['w#1', 'v#é'],
      ['v#2', 'v#10'],
      ['v#1'],
    ]);
  });

  test.each([2 ** 31, 9_007_199_254_740_991, 1e300])(
    'refuses the limit %d, which has more than 32 bits',
    async (Limit) => {
      await expect(query({ ...all, Limit })).rejects.toMatchObject({ name: 'SerializationException' });
      await expect(documents.scan({ TableName, Limit })).rejects.toMatchObject({
        name: 'SerializationException',
      });
      expect(await sortKeysInPages({ ...all, Limit: 2 ** 31 - 1 })).toEqual([['v#1', 'v#10', 'v#2', 'v#é', 'w#1']]);
    },
  );

  test('counts without items', async () => {
    const answer = await query({ ...all, Select: 'COUNT' });
    expect([answer.Count, answer.ScannedCount, answer.Items]).toEqual([5, 5, undefined]);
  });

  test('applies a filter after the limit', async () => {
    const filtered = {
      ...all,
      FilterExpression: 'big = :yes AND n <> :four',
      ExpressionAttributeValues: { ':pk': 'videos', ':yes': true, ':four': 4 },
    };
    expect(await sortKeys(filtered)).toEqual(['v#é']);
    const page = await query({ ...filtered, Limit: 2 });
    expect([page.Count, page.ScannedCount, page.LastEvaluatedKey]).toEqual([0, 2, { pk: 'videos', sk: 'v#10' }]);
  });

  test('projects', async () => {
    const { Items } = await query({ ...some('sk = :a', { ':a': 'v#2' }), ProjectionExpression: 'sk, n' });
    expect(Items).toEqual([{ sk: 'v#2', n: 2 }]);
  });

  test('stops at one megabyte and continues from there', async () => {
    for (let n = 0; n < 12; n++) {
      const sk = String(n).padStart(2, '0');
      await documents.put({ TableName, Item: { pk: 'large', sk, text: 'x'.repeat(200_000) } });
    }
    const pages = await sortKeysInPages({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'large' },
    });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat()).toEqual(Array.from({ length: 12 }, (_, n) => String(n).padStart(2, '0')));
  });
});

describe('a query on an index', () => {
  const owned = (owner: string) => ({
    IndexName: 'by-owner',
    KeyConditionExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#owner': 'owner' },
    ExpressionAttributeValues: { ':owner': owner },
  });
  const ranked = (owner: string) => ({ ...owned(owner), IndexName: 'by-rank' });

  test('finds only items that have the key, and follows their changes', async () => {
    await documents.put({ TableName, Item: { pk: 'p1', sk: '1', owner: 'ann', note: 'x' } });
    await documents.put({ TableName, Item: { pk: 'p2', sk: '2', note: 'without an owner' } });
    await documents.put({ TableName, Item: { pk: 'p3', sk: '3', owner: 'ann' } });
    expect(await sortKeys(owned('ann'))).toEqual(['1', '3']);
    const rename = { UpdateExpression: 'SET #o = :o', ExpressionAttributeNames: { '#o': 'owner' } };
    await documents.update({
      TableName,
      Key: { pk: 'p3', sk: '3' },
      ...rename,
      ExpressionAttributeValues: { ':o': 'bob' },
    });
    await documents.update({
      TableName,
      Key: { pk: 'p2', sk: '2' },
      ...rename,
      ExpressionAttributeValues: { ':o': 'ann' },
    });
    expect([await sortKeys(owned('ann')), await sortKeys(owned('bob'))]).toEqual([['1', '2'], ['3']]);
    await documents.delete({ TableName, Key: { pk: 'p1', sk: '1' } });
    await documents.update({
      TableName,
      Key: { pk: 'p2', sk: '2' },
      UpdateExpression: 'REMOVE #o',
      ExpressionAttributeNames: { '#o': 'owner' },
    });
    expect(await sortKeys(owned('ann'))).toEqual([]);
  });

  test('with the projection KEYS_ONLY returns the keys of table and index', async () => {
    await documents.put({ TableName, Item: { pk: 'k', sk: '1', owner: 'kim', rank: 1, note: 'x' } });
    expect((await query(owned('kim'))).Items).toEqual([{ pk: 'k', sk: '1', owner: 'kim' }]);
    expect((await query(ranked('kim'))).Items).toEqual([{ pk: 'k', sk: '1', owner: 'kim', rank: 1, note: 'x' }]);
  });

  test('rejects a projection of attributes that the index does not contain', async () => {
    await expect(query({ ...owned('kim'), Select: 'ALL_ATTRIBUTES' })).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await expect(query({ ...owned('kim'), ProjectionExpression: 'pk, note' })).rejects.toThrow(
      'does not project [note]',
    );
    await expect(query({ ...owned('kim'), ConsistentRead: true })).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await expect(query({ ...owned('kim'), IndexName: 'by-nothing' })).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  test('orders numbers by value', async () => {
    const ranks = [10, 9, -1, 0, 1.5, -10, 1e15, 0.001, -1.5];
    for (const rank of ranks)
      await documents.put({ TableName, Item: { pk: 'r', sk: String(rank), owner: 'rita', rank } });
    const sorted = ranks.toSorted((left, right) => left - right).map(String);
    expect(await sortKeys(ranked('rita'))).toEqual(sorted);
    expect(await sortKeysInPages({ ...ranked('rita'), Limit: 1 })).toEqual([...sorted.map((rank) => [rank]), []]);
  });

  test('returns each of 3,000 items with the same index key once, over all pages', async () => {
    const items = Array.from({ length: 3000 }, (_, n) => ({ pk: `same-${n}`, sk: 'x', owner: 'sam', rank: 1 }));
    for (let start = 0; start < items.length; start += 25) {
      const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
      await documents.batchWrite({ RequestItems: { [TableName]: puts } });
    }
    const seen: unknown[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await query({ ...ranked('sam'), Limit: 700, ExclusiveStartKey });
      seen.push(...(page.Items?.map(({ pk }) => pk) ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    expect(seen).toHaveLength(3000);
    expect(new Set(seen).size).toBe(3000);
  });
});

describe('a scan', () => {
  async function scan(input: Omit<Parameters<Documents['scan']>[0], 'TableName'> = {}) {
    const keys: string[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await documents.scan({ TableName, ...input, ExclusiveStartKey });
      keys.push(...(page.Items?.map(({ pk, sk }) => `${pk}/${sk}`) ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return keys.sort();
  }

  test('returns each item once and complete, in pages or in segments', async () => {
    const whole = await scan();
    const segments = await Promise.all([0, 1, 2].map((Segment) => scan({ Segment, TotalSegments: 3 })));
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(3000);
    expect(await scan({ Limit: 997 })).toEqual(whole);
    expect(segments.flat().sort()).toEqual(whole);
  });

  test('filters, and reads an index', async () => {
    expect(await scan({ FilterExpression: 'note = :x', ExpressionAttributeValues: { ':x': 'x' } })).toEqual(['k/1']);
    expect((await scan({ IndexName: 'by-rank', Limit: 1000 })).length).toBe(3000 + 9 + 1);
  });
});
