import { afterEach, expect, test, vi } from 'vitest';
import { startDynamo } from './dynamo-server.ts';

const TableName = 'things';
const limits = { indexLagMs: 2000, writeUnitsPerSecond: 1000, readUnitsPerSecond: 3000 };
const owned = {
  TableName,
  IndexName: 'by-owner',
  KeyConditionExpression: '#o = :o',
  ExpressionAttributeNames: { '#o': 'owner' },
  ExpressionAttributeValues: { ':o': 'me' },
};

afterEach(() => {
  vi.useRealTimers();
});

test('strongly consistent reads of an index are refused', async () => {
  const dynamo = await startDynamo();
  await expect(dynamo.documents.query({ ...owned, ConsistentRead: true })).rejects.toMatchObject({
    name: 'ValidationException',
  });
  await dynamo.stop();
});

test('reads of an index may miss the last writes for a while, reads of the table never', async () => {
  // Snapshots are taken at an interval. On a busy machine all of them are newer than the write before the reads begin.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const dynamo = await startDynamo({ chaos: { ...limits, indexLagMs: 300 } });
  await dynamo.documents.put({ TableName, Item: { pk: 'a', sk: 'a', owner: 'me' } });
  const counts = async () => {
    const reads = Array.from({ length: 40 }, async () => (await dynamo.documents.query(owned)).Count);
    return new Set(await Promise.all(reads));
  };
  expect(await counts()).toEqual(new Set([0, 1]));
  expect((await dynamo.documents.get({ TableName, Key: { pk: 'a', sk: 'a' } })).Item).toBeDefined();
  vi.advanceTimersByTime(300);
  expect(await counts()).toEqual(new Set([1]));
  await dynamo.stop();
});

test('a partition key takes so many units a second, and the hot keys are reported', async () => {
  let nowMs = Date.parse('2026-11-22T12:00:00Z');
  const lines: string[] = [];
  const chaos = { ...limits, writeUnitsPerSecond: 20, readUnitsPerSecond: 4 };
  const dynamo = await startDynamo({ now: () => nowMs, chaos, report: (line) => lines.push(line) });
  const put = (pk: string, sk: string) => dynamo.documents.put({ TableName, Item: { pk, sk, text: 'x'.repeat(3000) } });
  for (let n = 0; n < 7; n++) await put('hot', `${n}`);
  const throttled = { name: 'ThrottlingException' };
  dynamo.client.config.maxAttempts = async () => 1;
  await expect(put('hot', 'more')).rejects.toMatchObject(throttled);
  await put('cold', '1');
  const write = { Put: { TableName, Item: { pk: 'hot', sk: 'more' } } };
  await expect(dynamo.documents.transactWrite({ TransactItems: [write] })).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'ThrottlingError' }],
  });
  const read = () => dynamo.documents.get({ TableName, Key: { pk: 'hot', sk: '0' }, ConsistentRead: true });
  for (let n = 0; n < 4; n++) await read();
  await expect(read()).rejects.toMatchObject(throttled);
  nowMs += 1000;
  await put('hot', 'more');
  await read();
  await dynamo.stop();
  expect(lines[0]).toBe('hot key: things hot (write): 21 units a second, 2 requests throttled');
  expect(lines[1]).toBe('hot key: things hot (read): 4 units a second, 1 requests throttled');
});
