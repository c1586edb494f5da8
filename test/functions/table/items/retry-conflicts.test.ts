import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { ConditionFailed, transact, write } from '../../../../functions/table/items/items.ts';

const table = mockClient(documents);
beforeEach(() => {
  table.reset();
  process.env.TABLE_NAME = 'table';
});

const key = { pk: 'USER#1', sk: 'COUNTS' };
const conflict = () => new TransactionConflictException({ message: 'Transaction is ongoing', $metadata: {} });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: {},
  });

test('a write of one item that meets a transaction is sent again', async () => {
  table
    .on(UpdateCommand)
    .rejectsOnce(conflict())
    .rejectsOnce(conflict())
    .resolves({ Attributes: { count: 3 } });
  expect(await write({ update: key, add: { count: 1 } })).toEqual({ count: 3 });
  expect(table.commandCalls(UpdateCommand)).toHaveLength(3);
});

test('it fails when the conflict remains', async () => {
  table.on(PutCommand).rejects(conflict());
  await expect(write({ put: { ...key, count: 1 } })).rejects.toThrow('Transaction is ongoing');
  expect(table.commandCalls(PutCommand)).toHaveLength(10);
});

test('a transaction that meets another one is sent again', async () => {
  table.on(TransactWriteCommand).rejectsOnce(cancelled('None', 'TransactionConflict')).resolves({});
  await transact([{ delete: key }, { delete: { ...key, sk: 'USER' } }]);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(2);
});

test('a transaction whose condition failed is not sent again', async () => {
  table.on(TransactWriteCommand).rejects(cancelled('ConditionalCheckFailed', 'TransactionConflict'));
  await expect(transact([{ delete: key }, { delete: { ...key, sk: 'USER' } }])).rejects.toThrow(ConditionFailed);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(1);
});
