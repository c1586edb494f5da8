import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Item, openTableStorage } from 'embedded-aws/testing';
import { expect, test } from 'vitest';
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
  const storage = await openTableStorage(folder);
  const found = await storage.read();
  await storage.close();
  await rm(folder, { recursive: true });
  const items = [...found].filter(([key]) => key.startsWith('item~')).map(([, item]) => item as Item);
  expect(items).toHaveLength(1000);
  const expected = items.flatMap((item) => storage.entriesOf(tableOf(), item));
  expect(found).toEqual(new Map(expected.toSorted(([a], [b]) => (a < b ? -1 : 1))));
});
