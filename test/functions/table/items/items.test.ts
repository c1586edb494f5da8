import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { getItems, writeBatch } from '../../../../functions/table/items/items.ts';

const waits = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => {
    waits.push(milliseconds);
  },
}));

const table = mockClient(documents);
beforeEach(() => {
  table.reset();
  process.env.TABLE_NAME = 'table';
  vi.spyOn(Math, 'random').mockReturnValue(1);
  waits.length = 0;
});

const [first, second] = [
  { pk: 'USER#1', sk: 'USER' },
  { pk: 'USER#2', sk: 'USER' },
];

test('keys that a throttled table has not read are read after longer and longer waits', async () => {
  const throttled = { table: { Keys: [second] } };
  table
    .on(BatchGetCommand)
    .resolvesOnce({ Responses: { table: [first] }, UnprocessedKeys: throttled })
    .resolvesOnce({ UnprocessedKeys: throttled })
    .resolves({ Responses: { table: [second] } });
  expect(await getItems([first, second])).toEqual([first, second]);
  expect(table.commandCalls(BatchGetCommand)).toHaveLength(3);
  expect(waits).toEqual([40, 80]);
});

test('items that a throttled table has not written are written after a wait', async () => {
  const put = { PutRequest: { Item: first } };
  table
    .on(BatchWriteCommand)
    .resolvesOnce({ UnprocessedItems: { table: [put] } })
    .resolves({});
  await writeBatch([{ put: first }]);
  expect(table.commandCalls(BatchWriteCommand)).toHaveLength(2);
  expect(waits).toEqual([40]);
});

test('nothing waits while the table is not throttled', async () => {
  table.on(BatchGetCommand).resolves({ Responses: { table: [first] } });
  await getItems(Array.from({ length: 250 }, (_, index) => ({ pk: `USER#${index}`, sk: 'USER' })));
  expect(table.commandCalls(BatchGetCommand)).toHaveLength(3);
  expect(waits).toEqual([]);
});
