import { checkInput, type Input, runAction } from '../items/dynalite-actions.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import type { DynamoContext } from '../storage/dynamodb-context.ts';
import { checkTransaction } from './transaction-input.ts';

/** TransactGetItems reads all items from one snapshot and returns them in the requested order. */
export async function transactGet(context: DynamoContext, input: Input): Promise<Input> {
  const unread = createActionStore(context, () => undefined);
  const gets = checkTransaction(input, ['Get']).map(({ item }) => checkInput('GetItem', item, unread));
  const snapshot = context.database.snapshot();
  try {
    const answers = await Promise.all(
      gets.map((get) => runAction('GetItem', get, (fail) => createActionStore(context, fail, { snapshot }))),
    );
    return { Responses: answers.map(({ Item }) => (Item ? { Item } : {})) };
  } finally {
    await snapshot.close();
  }
}
