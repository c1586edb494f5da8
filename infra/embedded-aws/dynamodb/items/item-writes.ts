import db, { type Item } from 'dynalite/db/index.js';
import { isServiceError, ServiceError } from '../../control/json-protocol.ts';
import { type Change, commit } from '../storage/database.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { itemName, transactionConflict } from '../storage/running-items.ts';
import { type ActionName, checkInput, type Input, runAction } from './dynalite-actions.ts';

export type WriteName = Extract<ActionName, 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem'>;

export const CONDITION_FAILED = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';

/** PutItem, UpdateItem, DeleteItem or BatchWriteItem. Items and their index entries are written in one batch. */
export async function writeItems(context: DynamoContext, name: WriteName, input: Input): Promise<Input> {
  const data = checkWrite(context, name, input);
  const { running } = context;
  const names = name === 'BatchWriteItem' ? batchNames(context, data) : itemNames(context, data);
  // The writes of a batch wait for the transaction instead.
  if (name !== 'BatchWriteItem' && names.some(running.isInTransaction)) throw transactionConflict();
  return running.duringWrite(names, () =>
    context.exclusively(async () => {
      const { output, changes } = await stageWrite(context, name, data);
      const table = context.tables.get(data.TableName as string);
      if (table) context.partitionLimits?.write(table, changes, 1);
      await commit(context, changes);
      return output;
    }),
  );
}

const itemNames = ({ tables }: DynamoContext, { TableName, Key, Item }: Input): string[] => {
  const table = tables.get(TableName as string);
  return table ? [itemName(table, (Key ?? Item) as Item)] : [];
};

const batchNames = (context: DynamoContext, { RequestItems }: Input): string[] =>
  Object.entries(RequestItems as Record<string, { PutRequest?: Input; DeleteRequest?: Input }[]>).flatMap(
    ([TableName, requests]) =>
      requests.flatMap(({ PutRequest, DeleteRequest }) =>
        itemNames(context, { TableName, ...PutRequest, ...DeleteRequest }),
      ),
  );

/** Validates the input of a write. Needs no exclusive access. */
export function checkWrite(context: DynamoContext, name: WriteName, input: Input): Input {
  const onFailure = input.ReturnValuesOnConditionCheckFailure ?? 'NONE';
  if (onFailure !== 'ALL_OLD' && onFailure !== 'NONE') {
    throw db.validationError(
      `1 validation error detected: Value '${onFailure}' at 'returnValuesOnConditionCheckFailure' failed to satisfy ` +
        'constraint: Member must satisfy enum value set: [ALL_OLD, NONE]',
    );
  }
  const data = checkInput(
    name,
    input,
    createActionStore(context, () => undefined),
  );
  return { ...data, ReturnValuesOnConditionCheckFailure: onFailure };
}

/**
 * Runs a validated write without committing it: returns the output and the changes. Needs exclusive access.
 * @param expired the item is deleted because it has expired
 */
export async function stageWrite(context: DynamoContext, name: WriteName, data: Input, expired?: true) {
  const changes: Change[] = [];
  try {
    const output = await runAction(name, data, (fail) => createActionStore(context, fail, { changes, expired }));
    return { output, changes };
  } catch (error) {
    throw withOldItem(context, data, error);
  }
}

/** Adds the existing item to the error of a failed condition, if the request asked for it. */
export function withOldItem(context: DynamoContext, data: Input, error: unknown): unknown {
  if (!isServiceError(error) || error.body.__type !== CONDITION_FAILED) return error;
  if (data.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD') return error;
  const table = context.tables.get(data.TableName as string);
  const item = table && readItem(context, table, (data.Key ?? data.Item) as Item);
  return item ? new ServiceError(CONDITION_FAILED, error.message, { Item: item }) : error;
}
