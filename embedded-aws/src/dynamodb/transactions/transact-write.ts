import { isServiceError, ServiceError } from '../../control/json-protocol.ts';
import { db, type Item } from '../dynalite/dynalite.ts';
import type { Input } from '../items/dynalite-actions.ts';
import {
  CONDITION_FAILED,
  checkWrite,
  stageWrite,
  unchangedUses,
  type WriteName,
  withOldItem,
} from '../items/item-writes.ts';
import type { CapacityUse } from '../storage/capacity-units.ts';
import { checkReturnConsumedCapacity, consumedCapacities, isCounted } from '../storage/consumed-capacity.ts';
import { type Change, commit, itemPrefix } from '../storage/database.ts';
import { tableNotFound } from '../storage/dynalite-store.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { itemSize } from '../storage/item-size.ts';
import { THROTTLED } from '../storage/partition-limits.ts';
import { itemName } from '../storage/running-items.ts';
import { cancelled, conflictReason, type Reason } from './cancelled.ts';
import { checkTransaction, requireDifferent, requireSize } from './transaction-input.ts';
import { findToken, tokenChanges } from './transaction-tokens.ts';

const writeNames: Record<string, WriteName> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  // A ConditionCheck has the same input as a delete. `stageStep` handles it.
  ConditionCheck: 'DeleteItem',
};
const requiredExpression: Record<string, string> = {
  Update: 'UpdateExpression',
  ConditionCheck: 'ConditionExpression',
};

type Step = { kind: string; data: Input };

/**
 * TransactWriteItems writes the changes of all items, their index entries and the client token in one batch. It is
 * cancelled if one of the items is in another transaction that has not ended.
 */
export async function transactWrite(context: DynamoContext, input: Input): Promise<object> {
  checkReturnConsumedCapacity(input);
  const { ClientRequestToken: token, ReturnConsumedCapacity: _, ...request } = input;
  const parameters = JSON.stringify(request);
  const steps = checkTransaction(input, Object.keys(writeNames)).map(({ kind, item }) =>
    checkStep(context, kind, item),
  );
  const names = steps.map((step) => nameOf(context, step));
  requireDifferent(names);
  const { running } = context;
  const runningToken = typeof token === 'string' ? [`token ${token}`] : [];
  if (runningToken.some(running.isInTransaction)) throw inProgress();
  if (names.some(running.isInTransaction)) {
    throw cancelled(names.map((name) => (running.isInTransaction(name) ? conflictReason : { Code: 'None' })));
  }
  return running.duringTransaction([...names, ...runningToken], () =>
    context.exclusively(async () => {
      if (typeof token === 'string' && findToken(context, token, parameters)) return {};
      const uses: CapacityUse[] | undefined = isCounted(context, input) ? [] : undefined;
      try {
        const changes = await stageSteps(context, steps, uses);
        if (typeof token === 'string') changes.push(...tokenChanges(context, token, parameters));
        await commit(context, changes);
        return uses ? consumedCapacities(input, uses) : {};
      } finally {
        if (uses) context.meter?.('TransactWriteItems', uses);
      }
    }),
  );
}

const inProgress = (): ServiceError =>
  new ServiceError(
    'com.amazonaws.dynamodb.v20120810#TransactionInProgressException',
    'The transaction with the given request token is already in progress.',
  );

function checkStep(context: DynamoContext, kind: string, item: Input): Step {
  const required = requiredExpression[kind];
  if (required && item[required] == null) {
    throw db.validationError(`The ${required} of a ${kind} must not be null`);
  }
  const data = checkWrite(context, writeNames[kind]!, item);
  if (!context.tables.has(data.TableName as string)) throw tableNotFound(data.TableName as string);
  return { kind, data };
}

const nameOf = ({ tables }: DynamoContext, { data }: Step): string =>
  itemName(tables.get(data.TableName as string)!, (data.Key ?? data.Item) as Item);

/**
 * Collects the changes of all steps. When one fails, the others are still evaluated, so that the error contains all
 * reasons.
 */
async function stageSteps(context: DynamoContext, steps: Step[], uses: CapacityUse[] | undefined): Promise<Change[]> {
  const changes: Change[] = [];
  const reasons: Reason[] = [];
  for (const step of steps) {
    try {
      changes.push(...(await stageStep(context, step, uses)));
      reasons.push({ Code: 'None' });
    } catch (error) {
      reasons.push(reasonFor(error));
    }
  }
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  requireSize(steps.map((step) => sizeOf(context, step, changes)));
  return changes;
}

async function stageStep(context: DynamoContext, { kind, data }: Step, uses: CapacityUse[] | undefined) {
  const table = context.tables.get(data.TableName as string)!;
  if (kind !== 'ConditionCheck') {
    const options = { uses: uses && [], isTransaction: true };
    try {
      const { changes } = await stageWrite(context, writeNames[kind]!, data, options);
      context.partitionLimits?.consume(options.uses ?? []);
      return changes;
    } finally {
      uses?.push(...(options.uses ?? []));
    }
  }
  const invalid = db.validateKey(data.Key as Item, table);
  if (invalid) throw invalid;
  uses?.push(...unchangedUses(context, data, { isTransaction: true }));
  const failed = db.checkConditional(data, readItem(context, table, data.Key as Item));
  if (failed) throw withOldItem(context, data, failed);
  return [];
}

/** The size of an item after the transaction, or before it when it is only checked or deleted. */
function sizeOf(context: DynamoContext, { data }: Step, changes: readonly Change[]): number {
  const table = context.tables.get(data.TableName as string)!;
  const key = (data.Key ?? data.Item) as Item;
  const storedKey = itemPrefix(table.TableName) + db.createKey(key, table);
  const put = changes.find((change) => change.type === 'put' && change.key === storedKey);
  const item = put?.type === 'put' ? (put.value as Item) : readItem(context, table, key);
  return item ? itemSize(item) : 0;
}

function reasonFor(error: unknown): Reason {
  if (!isServiceError(error)) throw error;
  const { __type, Item } = error.body;
  if (__type === CONDITION_FAILED) {
    return { Code: 'ConditionalCheckFailed', Message: error.message, ...(Item !== undefined && { Item }) };
  }
  if (__type === THROTTLED) return { Code: 'ThrottlingError', Message: error.message };
  if (String(__type).endsWith('#ValidationException')) return { Code: 'ValidationError', Message: error.message };
  throw error;
}
