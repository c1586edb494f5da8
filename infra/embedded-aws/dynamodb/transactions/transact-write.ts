import db, { type Item } from 'dynalite/db/index.js';
import { isServiceError, ServiceError } from '../../control/json-protocol.ts';
import type { Input } from '../items/dynalite-actions.ts';
import { CONDITION_FAILED, checkWrite, stageWrite, type WriteName, withOldItem } from '../items/item-writes.ts';
import type { Change } from '../storage/database.ts';
import { tableNotFound } from '../storage/dynalite-store.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { checkTransaction } from './transaction-input.ts';
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
type Reason = { Code: string; Message?: string; Item?: unknown };

/**
 * TransactWriteItems writes the changes of all items, their index entries and the client token in one batch. Only one
 * write runs at a time, so a transaction is never cancelled because of a conflict.
 */
export async function transactWrite(context: DynamoContext, input: Input): Promise<Input> {
  const { ClientRequestToken: token, ...request } = input;
  const parameters = JSON.stringify(request);
  const steps = checkTransaction(input, Object.keys(writeNames)).map(({ kind, item }) =>
    checkStep(context, kind, item),
  );
  refuseDuplicates(context, steps);
  return context.exclusively(async () => {
    if (typeof token === 'string' && findToken(context, token, parameters)) return {};
    const changes = await stageSteps(context, steps);
    if (typeof token === 'string') changes.push(...tokenChanges(context, token, parameters));
    await context.database.batch(changes);
    return {};
  });
}

function checkStep(context: DynamoContext, kind: string, item: Input): Step {
  const required = requiredExpression[kind];
  if (required && item[required] == null) {
    throw db.validationError(`The ${required} of a ${kind} must not be null`);
  }
  const data = checkWrite(context, writeNames[kind]!, item);
  if (!context.tables.has(data.TableName as string)) throw tableNotFound(data.TableName as string);
  return { kind, data };
}

function refuseDuplicates(context: DynamoContext, steps: Step[]): void {
  const seen = new Set<string>();
  for (const { data } of steps) {
    const table = context.tables.get(data.TableName as string)!;
    const keys = (data.Key ?? data.Item) as Item;
    const name = JSON.stringify([table.TableName, ...table.KeySchema.map((key) => keys[key.AttributeName])]);
    if (seen.has(name)) {
      throw db.validationError('Transaction request cannot include multiple operations on one item');
    }
    seen.add(name);
  }
}

/**
 * Collects the changes of all steps. When one fails, the others are still evaluated, so that the error contains all
 * reasons.
 */
async function stageSteps(context: DynamoContext, steps: Step[]): Promise<Change[]> {
  const changes: Change[] = [];
  const reasons: Reason[] = [];
  for (const step of steps) {
    try {
      changes.push(...(await stageStep(context, step)));
      reasons.push({ Code: 'None' });
    } catch (error) {
      reasons.push(reasonFor(error));
    }
  }
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  return changes;
}

async function stageStep(context: DynamoContext, { kind, data }: Step): Promise<Change[]> {
  if (kind !== 'ConditionCheck') return (await stageWrite(context, writeNames[kind]!, data)).changes;
  const table = context.tables.get(data.TableName as string)!;
  const invalid = db.validateKey(data.Key as Item, table);
  if (invalid) throw invalid;
  const failed = db.checkConditional(data, readItem(context, table, data.Key as Item));
  if (failed) throw withOldItem(context, data, failed);
  return [];
}

function reasonFor(error: unknown): Reason {
  if (!isServiceError(error)) throw error;
  const { __type, Item } = error.body;
  if (__type === CONDITION_FAILED) {
    return { Code: 'ConditionalCheckFailed', Message: error.message, ...(Item !== undefined && { Item }) };
  }
  if (String(__type).endsWith('#ValidationException')) return { Code: 'ValidationError', Message: error.message };
  throw error;
}

function cancelled(reasons: Reason[]): ServiceError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new ServiceError(
    'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}
