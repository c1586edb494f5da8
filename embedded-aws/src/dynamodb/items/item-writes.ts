import { isServiceError, ServiceError } from '../../control/json-protocol.ts';
import { db, type Item } from '../dynalite/dynalite.ts';
import { type CapacityUse, itemWrite, writeUnits } from '../storage/capacity-units.ts';
import { consumedCapacities, consumedCapacity, isCounted } from '../storage/consumed-capacity.ts';
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
      const uses: CapacityUse[] | undefined = isCounted(context, data) ? [] : undefined;
      try {
        const { output, changes } = await stageWrite(context, name, data, { uses });
        if (uses) context.partitionLimits?.consume(uses);
        await commit(context, changes);
        const consumed = name === 'BatchWriteItem' ? consumedCapacities : consumedCapacity;
        return { ...output, ...(uses && consumed(data, uses)) };
      } finally {
        if (uses) context.meter?.(name, uses);
      }
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
  const data = checkInput(name, input, createActionStore(context));
  return { ...data, ReturnValuesOnConditionCheckFailure: onFailure };
}

/**
 * Runs a validated write without committing it: returns the output and the changes. Needs exclusive access.
 */
export async function stageWrite(context: DynamoContext, name: WriteName, data: Input, options: StageOptions = {}) {
  const changes: Change[] = [];
  const uncounted = { ...data, ReturnConsumedCapacity: 'NONE' };
  try {
    const output = await runAction(name, uncounted, createActionStore(context, { changes, ...options }));
    if (options.uses) options.uses.push(...absentUses(context, data, options));
    return { output, changes };
  } catch (error) {
    if (options.uses && isConditionFailed(error)) options.uses.push(...unchangedUses(context, data, options));
    throw withOldItem(context, data, error);
  }
}

type StageOptions = {
  /** The item is deleted because it has expired. */
  expired?: true;
  /** Receives the capacity units. */
  uses?: CapacityUse[] | undefined;
  isTransaction?: boolean;
};

/** The units of deletions of items that do not exist. */
const absentUses = (context: DynamoContext, data: Input, options: StageOptions): CapacityUse[] =>
  deletedKeys(data).flatMap(({ TableName, Key }) => {
    const table = context.tables.get(TableName)!;
    return readItem(context, table, Key)
      ? []
      : [itemWrite(table, Key, writeUnits(undefined, undefined, options.isTransaction))];
  });

type Deleted = { TableName: string; Key: Item };

function deletedKeys(data: Input): Deleted[] {
  if (data.RequestItems === undefined) {
    const isDeletion =
      data.Item === undefined && data.UpdateExpression === undefined && data.AttributeUpdates === undefined;
    return isDeletion ? [data as Deleted] : [];
  }
  const requests = Object.entries(data.RequestItems as Record<string, { DeleteRequest?: { Key: Item } }[]>);
  return requests.flatMap(([TableName, ofTable]) =>
    ofTable.flatMap(({ DeleteRequest }) => (DeleteRequest ? [{ TableName, Key: DeleteRequest.Key }] : [])),
  );
}

/** The units of a write whose condition failed, or of a check: those of the item as it is. */
export function unchangedUses(context: DynamoContext, data: Input, { isTransaction }: StageOptions): CapacityUse[] {
  const table = context.tables.get(data.TableName as string)!;
  const key = (data.Key ?? data.Item) as Item;
  return [itemWrite(table, key, writeUnits(readItem(context, table, key), undefined, isTransaction))];
}

const isConditionFailed = (error: unknown): error is ServiceError =>
  isServiceError(error) && error.body.__type === CONDITION_FAILED;

/** Adds the existing item to the error of a failed condition, if the request asked for it. */
export function withOldItem(context: DynamoContext, data: Input, error: unknown): unknown {
  if (!isConditionFailed(error)) return error;
  if (data.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD') return error;
  const table = context.tables.get(data.TableName as string);
  const item = table && readItem(context, table, (data.Key ?? data.Item) as Item);
  return item ? new ServiceError(CONDITION_FAILED, error.message, { Item: item }) : error;
}
