import { ServiceError } from '../../control/json-protocol.ts';
import type { Item, Table } from '../dynalite/dynalite.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html

export const TRANSACTION_CONFLICT = 'com.amazonaws.dynamodb.v20120810#TransactionConflictException';
export const conflictMessage = 'Transaction is ongoing for the item';

export const transactionConflict = (): ServiceError => new ServiceError(TRANSACTION_CONFLICT, conflictMessage);

/** The name of an item among all tables. `key` is its key, or an item with the same key. */
export const itemName = ({ TableName, KeySchema }: Table, key: Item): string =>
  JSON.stringify([TableName, ...KeySchema.map(({ AttributeName }) => key[AttributeName])]);

export type RunningItems = ReturnType<typeof createRunningItems>;

/** The items of the transactions and of the single writes that are running or waiting for their turn. */
export function createRunningItems() {
  const inTransaction = new Map<string, number>();
  const inWrite = new Map<string, number>();
  const holding = async <Result>(names: readonly string[], held: Map<string, number>, work: () => Promise<Result>) => {
    for (const name of names) held.set(name, (held.get(name) ?? 0) + 1);
    try {
      return await work();
    } finally {
      for (const name of names) {
        const left = held.get(name)! - 1;
        if (left > 0) held.set(name, left);
        else held.delete(name);
      }
    }
  };
  return {
    isInTransaction: (name: string): boolean => inTransaction.has(name),
    isWritten: (name: string): boolean => inTransaction.has(name) || inWrite.has(name),
    duringTransaction: <Result>(names: readonly string[], work: () => Promise<Result>) =>
      holding(names, inTransaction, work),
    duringWrite: <Result>(names: readonly string[], work: () => Promise<Result>) => holding(names, inWrite, work),
  };
}
