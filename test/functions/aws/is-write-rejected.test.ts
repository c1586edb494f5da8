import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { isWriteRejected } from '../../../functions/aws/is-write-rejected.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more });
const key = { pk: 'X#refused', sk: 'X' };
const thrown = async (act: () => Promise<unknown>): Promise<unknown> => act().catch((error: unknown) => error);

describe('a rejected write', () => {
  test.each([
    ['a number beyond those that are safe', -(2 ** 63)],
    ['a number too near to zero', 1e-200],
    ['more than an item may have', 'x'.repeat(400 * 1024)],
  ])('is one with %s, alone or in a transaction', async (_, value) => {
    const put = { put: { ...key, kind: 'x', value } };
    expect(isWriteRejected(await thrown(() => write(put)))).toBe(true);
    expect(isWriteRejected(await thrown(() => transact([put])))).toBe(true);
  });

  test('is one that a transaction reports as the reason', () => {
    const reasons = (Code: string) =>
      new TransactionCanceledException({ message: 'x', $metadata: {}, CancellationReasons: [{ Code }] });
    expect(isWriteRejected(reasons('ValidationError'))).toBe(true);
    expect(isWriteRejected(reasons('TransactionConflict'))).toBe(false);
  });
});

describe('not a rejected write', () => {
  test('is a missing table', async () => {
    const error = await thrown(() => documents.send(new PutCommand({ TableName: 'other', Item: key })));
    expect(isWriteRejected(error)).toBe(false);
  });

  test.each([
    ['a right that is missing', named('AccessDenied', { $metadata: { httpStatusCode: 403 } })],
    ['an answer that was cut off', named('SyntaxError', { $metadata: { httpStatusCode: 200 } })],
    ['what is no error', 'x'],
  ])('is %s', (_, error) => {
    expect(isWriteRejected(error)).toBe(false);
  });
});
