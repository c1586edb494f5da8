import { describe, expect, test } from 'vitest';
import type { Table } from '../../src/dynamodb/dynalite/dynalite.ts';
import { writeItems } from '../../src/dynamodb/items/item-writes.ts';
import type { DynamoContext } from '../../src/dynamodb/storage/dynamodb-context.ts';
import { createRunningItems, itemName } from '../../src/dynamodb/storage/running-items.ts';
import { transactGet } from '../../src/dynamodb/transactions/transact-get.ts';
import { transactWrite } from '../../src/dynamodb/transactions/transact-write.ts';
import { startDynamo, temporaryFolder, thingsTable } from './dynamo-server.ts';
import { openContext } from './open-context.ts';

const TableName = 'things';

describe('a client token', () => {
  const Key = { pk: 'token', sk: 'n' };
  const Update = { TableName, Key, UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': 1 } };
  const request = { TransactItems: [{ Update }], ClientRequestToken: 'token' };

  test('expires after ten minutes', async () => {
    let nowMs = Date.parse('2026-11-21T12:00:00Z');
    const { documents, stop } = await startDynamo({ now: () => nowMs });
    const count = async () => (await documents.get({ TableName, Key })).Item?.n;
    await documents.transactWrite(request);
    nowMs += 10 * 60 * 1000 - 1;
    await documents.transactWrite(request);
    expect(await count()).toBe(1);
    nowMs += 1;
    await documents.transactWrite(request);
    expect(await count()).toBe(2);
    await stop();
  });

  test('survives a restart', async () => {
    const folder = await temporaryFolder();
    const first = await startDynamo({ folder });
    await first.documents.transactWrite(request);
    await first.stop({ keepFolder: true });
    const second = await startDynamo({ folder });
    await second.documents.transactWrite(request);
    expect((await second.documents.get({ TableName, Key })).Item).toEqual({ ...Key, n: 1 });
    await second.stop();
  });
});

describe('while a transaction runs', () => {
  const context = createRunningItems();
  const table = { TableName, KeySchema: thingsTable.keySchema } as unknown as Table;
  const name = itemName(table, { sk: { S: 'a' }, pk: { S: 'p' } });

  test('its items are held until it ends, also when it fails', async () => {
    await context.duringTransaction([name], async () => {
      expect([context.isInTransaction(name), context.isWritten(name)]).toEqual([true, true]);
      expect(context.isInTransaction(itemName(table, { pk: { S: 'p' }, sk: { S: 'b' } }))).toBe(false);
    });
    await expect(context.duringTransaction([name], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(context.isWritten(name)).toBe(false);
  });

  test('a single write is held for transactional reads only, as long as any write of the item runs', async () => {
    const first = Promise.withResolvers<void>();
    const running = context.duringWrite([name], () => first.promise);
    await context.duringWrite([name], async () => undefined);
    expect([context.isInTransaction(name), context.isWritten(name)]).toEqual([false, true]);
    first.resolve();
    await running;
    expect(context.isWritten(name)).toBe(false);
  });

  /** A DynamoDB whose writes wait until `open` is called. */
  async function waiting() {
    const { context, close } = await openContext();
    const gate = Promise.withResolvers<void>();
    void context.exclusively(() => gate.promise);
    return { context, open: gate.resolve, close };
  }
  const item = { pk: { S: 'p' }, sk: { S: 'a' } };
  const Put = { TableName, Item: item };
  const transaction = { TransactItems: [{ Put }], ClientRequestToken: 't' };
  type Operation = (context: DynamoContext) => Promise<unknown>;
  const conflict = { __type: expect.stringMatching(/#TransactionConflictException$/) };
  const cancelled = {
    __type: expect.stringMatching(/#TransactionCanceledException$/),
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  };
  const inProgress = { __type: expect.stringMatching(/#TransactionInProgressException$/) };
  const other = { TableName, Item: { pk: { S: 'p' }, sk: { S: 'b' } } };

  test.each<[string, Operation, object]>([
    ['a put', (it) => writeItems(it, 'PutItem', Put), conflict],
    ['an update', (it) => writeItems(it, 'UpdateItem', { TableName, Key: item }), conflict],
    ['a deletion', (it) => writeItems(it, 'DeleteItem', { TableName, Key: item }), conflict],
    ['another transaction', (it) => transactWrite(it, { TransactItems: [{ Put: other }, { Put }] }), cancelled],
    ['the same transaction', (it) => transactWrite(it, transaction), inProgress],
    [
      'a transactional read',
      (it) => transactGet(it, { TransactItems: [other.Item, item].map((Key) => ({ Get: { TableName, Key } })) }),
      cancelled,
    ],
  ])('%s of one of its items is refused, and accepted afterwards', async (_name, act, body) => {
    const { context, open, close } = await waiting();
    const end = transactWrite(context, transaction);
    await expect(act(context)).rejects.toMatchObject({ body });
    const elsewhere = writeItems(context, 'PutItem', other);
    open();
    await Promise.all([end, elsewhere]);
    await act(context);
    await close();
  });

  test('a transactional read of an item that a single write changes is refused', async () => {
    const { context, open, close } = await waiting();
    const end = writeItems(context, 'PutItem', Put);
    const gets = [other.Item, item].map((Key) => ({ Get: { TableName, Key } }));
    await expect(transactGet(context, { TransactItems: gets })).rejects.toMatchObject({ body: cancelled });
    open();
    await end;
    await close();
  });
});
