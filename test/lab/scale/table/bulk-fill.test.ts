import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import db, { type Item } from 'dynalite/db/index.js';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../embedded-aws/src/dynamodb/storage/database.ts';
import { derivedChanges } from '../../../../embedded-aws/src/dynamodb/storage/derived-entries.ts';
import { bulkFill } from '../../../../lab/scale/table/bulk-fill.ts';
import { tableOf } from '../../../../lab/scale/table/scale-table.ts';

const [video, owner] = ['01K9Z3P6M8N9P0Q1R2S3T4V5W6', '01K9Z3P6M8N9P0Q1R2S3T4V5W7'];
const prototype = {
  items: [
    { pk: { S: `VIDEO#${video}` }, sk: { S: 'VIDEO' }, ownerKey: { S: `${owner}#video` }, ownerSort: { S: video } },
    { pk: { S: `NODE#${video}` }, sk: { S: 'NODE' }, dueShard: { S: 'node#1' }, dueAt: { S: '2026' }, id: { N: '7' } },
  ],
};

test('the database has the entries that the embedded DynamoDB would write for each item', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bulk-fill-'));
  const fill = { kind: '0', count: 500, kept: () => [owner], prototypes: [prototype] };
  expect(await bulkFill(folder, tableOf(), [fill])).toBe(1000);
  const database = await openDatabase(folder);
  const found = new Map(await database.iterator().all());
  await database.close();
  await rm(folder, { recursive: true });
  const items = [...found].filter(([key]) => key.startsWith('item~')).map(([, item]) => item as Item);
  expect(items).toHaveLength(1000);
  const expected = items.flatMap((item) => [
    [`item~${tableOf().TableName}~${db.createKey(item, tableOf())}`, item] as const,
    ...derivedChanges(tableOf(), undefined, item).map(
      (change) => [change.key, 'value' in change && change.value] as const,
    ),
  ]);
  expect(found).toEqual(new Map(expected.toSorted(([a], [b]) => (a < b ? -1 : 1))));
});
