import type { Item } from '../dynalite/dynalite.ts';
import { checkInput, type Input, runAction } from '../items/dynalite-actions.ts';
import { itemRead } from '../storage/capacity-units.ts';
import { checkReturnConsumedCapacity, consumedCapacities, isCounted } from '../storage/consumed-capacity.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { itemSize } from '../storage/item-size.ts';
import { itemName } from '../storage/running-items.ts';
import { cancelled, conflictReason, type Reason } from './cancelled.ts';
import { checkTransaction, requireSize } from './transaction-input.ts';

/**
 * TransactGetItems reads all items from one snapshot and returns them in the requested order. It is cancelled if one of
 * them is being written.
 */
export async function transactGet(context: DynamoContext, input: Input): Promise<Input> {
  const unread = createActionStore(context);
  checkReturnConsumedCapacity(input);
  const gets = checkTransaction(input, ['Get']).map(({ item }) => checkInput('GetItem', item, unread));
  const reasons = gets.map(({ TableName, Key }): Reason => {
    const table = context.tables.get(TableName as string);
    return table && context.running.isWritten(itemName(table, Key as Item)) ? conflictReason : { Code: 'None' };
  });
  if (reasons.includes(conflictReason)) throw cancelled(reasons);
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

function useOf(context: DynamoContext, { TableName, Key }: Input) {
  const table = context.tables.get(TableName as string)!;
  const key = Key as Item;
  return itemRead(table, key, readItem(context, table, key), { isConsistent: true, isTransaction: true });
}
