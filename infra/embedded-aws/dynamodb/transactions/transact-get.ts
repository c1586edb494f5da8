import { checkInput, type Input, runAction } from '../items/dynalite-actions.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import type { DynamoContext } from '../storage/dynamodb-context.ts';
import { checkTransaction } from './transaction-input.ts';

/** TransactGetItems: all items as they were at one moment, in the order asked for. */
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
