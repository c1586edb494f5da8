import { db, type Item } from '../dynalite/dynalite.ts';
import { checkInput, type Input, runAction } from '../items/dynalite-actions.ts';
import { itemRead } from '../storage/capacity-units.ts';
import { checkReturnConsumedCapacity, consumedCapacities, isCounted } from '../storage/consumed-capacity.ts';
import { createActionStore, tableNotFound } from '../storage/dynalite-store.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { itemSize } from '../storage/item-size.ts';
import { itemName } from '../storage/running-items.ts';
import type { ServedTable } from '../storage/table-definitions.ts';
import { cancelled, conflictReason, type Reason } from './cancelled.ts';
import { checkTransaction, requireDifferent, requireSize } from './transaction-input.ts';

/**
 * TransactGetItems reads all items from one snapshot and returns them in the requested order. It is cancelled if one of
 * them is being written, or a key is not one of its table.
 */
export async function transactGet(context: DynamoContext, input: Input): Promise<Input> {
  const unread = createActionStore(context);
  checkReturnConsumedCapacity(input);
  const gets = checkTransaction(input, ['Get']).map(({ item }) => checkInput('GetItem', item, unread));
  const reasons = gets.map((get) => reasonFor(context, get));
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  requireDifferent(gets.map((get) => itemName(tableOf(context, get), get.Key as Item)));
  const snapshot = context.database.snapshot();
  try {
    const responses = await Promise.all(
      gets.map((get) => runAction('GetItem', get, createActionStore(context, { snapshot }))),
    );
    requireSize(responses.map(({ Item }) => (Item ? itemSize(Item as Item) : 0)));
    const uses = isCounted(context, input) ? gets.map((get) => useOf(context, get)) : [];
    context.meter?.('TransactGetItems', uses);
    return { Responses: responses.map(({ Item }) => (Item ? { Item } : {})), ...consumedCapacities(input, uses) };
  } finally {
    await snapshot.close();
  }
}

/** @throws ResourceNotFoundException */
function tableOf({ tables }: DynamoContext, { TableName }: Input): ServedTable {
  const table = tables.get(TableName as string);
  if (!table) throw tableNotFound(TableName as string);
  return table;
}

function reasonFor(context: DynamoContext, get: Input): Reason {
  const table = tableOf(context, get);
  const key = get.Key as Item;
  const invalid = db.validateKey(key, table);
  if (invalid) return { Code: 'ValidationError', Message: String(invalid.body.message) };
  return context.running.isWritten(itemName(table, key)) ? conflictReason : { Code: 'None' };
}

function useOf(context: DynamoContext, get: Input) {
  const table = tableOf(context, get);
  const key = get.Key as Item;
  return itemRead(table, key, readItem(context, table, key), { isConsistent: true, isTransaction: true });
}
